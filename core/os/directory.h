// Directory: directories held by descriptor, so that nobody can move them away under us.
//
//   Fd root = make_directories("/run/user/1000/comch", 0755).value();
//   make_directory_at(root, "servers", 0755);
//   for (const std::string& name : names_at(root).value()) ...
//
// Errors of every call: not_found (ENOENT, or a part that is no directory),
// already_exist (EEXIST), in_use (a directory is not empty), not_permitted (EACCES,
// EPERM, EROFS), and operating_system for the rest; sys has the errno.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

Result<Fd> open_directory(const char* path);

// A symbolic link of that name is not followed.
Result<Fd> open_directory_at(const Fd& directory, const char* name);

// With that mode, whatever the umask is.
Status make_directory_at(const Fd& directory, const char* name, mode_t mode);
Status remove_directory_at(const Fd& directory, const char* name);
Status unlink_at(const Fd& directory, const char* name);

// Opens `path`, creating what is missing of it, each part as make_directory_at() does.
Result<Fd> make_directories(const char* path, mode_t mode);

// The names inside, sorted, without "." and ".."; some of them where there are more than `most`.
Result<std::vector<std::string>> names_at(const Fd& directory, std::size_t most = SIZE_MAX);

// True: this process may create and remove names inside.
bool may_write(const Fd& directory);

// Whether only root, ourselves and the owners of names could have put the names there:
// the directory is root's or ours, and nobody else may write to it unless it is sticky.
// not_permitted: it is not so.
Status check_trusted(const Fd& directory);

}  // namespace comch::os
