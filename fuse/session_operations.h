// TreeOperations and FileOperations: the entries of libfuse's table, in two groups.
//
// The first are about names and attributes, the second about open files. Each entry
// finds whom it asks, asks, and answers; see session.h.
//
// Threads: the loop's.
#pragma once

#include <fuse3/fuse_lowlevel.h>

namespace comch::fuse {

struct TreeOperations {
  static void fill(fuse_lowlevel_ops& table);

 private:
  static void lookup(fuse_req_t raw, fuse_ino_t parent, const char* name);
  static void forget(fuse_req_t raw, fuse_ino_t id, std::uint64_t lookups);
  static void forget_many(fuse_req_t raw, std::size_t count, fuse_forget_data* forgets);
  static void get_attributes(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info);
  static void set_attributes(fuse_req_t raw, fuse_ino_t id, struct stat* values, int which,
                             fuse_file_info* info);
  static void read_link(fuse_req_t raw, fuse_ino_t id);
  static void make_directory(fuse_req_t raw, fuse_ino_t parent, const char* name, mode_t mode);
  static void remove_directory(fuse_req_t raw, fuse_ino_t parent, const char* name);
  static void open_directory(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info);
  static void list_directory(fuse_req_t raw, fuse_ino_t id, std::size_t size, off_t offset,
                             fuse_file_info* info);
  static void close_directory(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info);
  static void statistics(fuse_req_t raw, fuse_ino_t id);
};

struct FileOperations {
  static void fill(fuse_lowlevel_ops& table);

 private:
  static void open(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info);
  static void read(fuse_req_t raw, fuse_ino_t id, std::size_t size, off_t offset,
                   fuse_file_info* info);
  static void write(fuse_req_t raw, fuse_ino_t id, const char* bytes, std::size_t size,
                    off_t offset, fuse_file_info* info);
  static void poll(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info, fuse_pollhandle* handle);
  static void release(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info);
};

}  // namespace comch::fuse
