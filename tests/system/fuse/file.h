// File: one open file of the tree, and what single system calls on it said.
//
//   File recv(conn / "recv", O_RDONLY | O_NONBLOCK);
//   EXPECT_EQ(recv.read(), failed(EAGAIN));
//   EXPECT_EQ(send(peer, "hello"), 0);
//   EXPECT_EQ(recv.wait_and_read(), got("hello"));
//
// Each function is one call of the kernel unless it says otherwise: that is what the
// specification speaks of.
//
// Threads: a File belongs to one thread. Errors: an errno, or 0; nothing throws.
#pragma once

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "support/deadline.h"

namespace comch::test {

// What a read said: bytes, or an errno. No bytes and no error is the end of the file.
struct Got {
  std::string bytes;
  int error = 0;

  friend bool operator==(const Got&, const Got&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Got& got);
};
inline Got got(std::string_view bytes) { return {.bytes = std::string(bytes), .error = 0}; }
inline Got failed(int error) { return {.bytes = {}, .error = error}; }
inline Got end_of_file() { return {}; }

class File {
 public:
  // What one read asks for: more than any message, less than one kernel request.
  static constexpr std::size_t kRoom = 128UL * 1024;

  explicit File(const std::filesystem::path& path, int flags = O_RDONLY);
  static File adopt(int fd) { return File(fd); }
  File(File&& other) noexcept;
  File& operator=(File other) noexcept;  // What was there is closed.
  ~File() { close(); }

  int error() const { return error_; }  // Of the open: an errno, or 0.
  int fd() const { return fd_; }
  void close();

  Got read(std::size_t most = kRoom) const;
  // Waits with poll() first; failed(ETIMEDOUT) when nothing was to be had in time.
  Got wait_and_read(std::size_t most = kRoom, const Deadline& deadline = Deadline()) const;
  // Reads until the end or an error, which is then in Got::error beside the bytes.
  Got read_to_end() const;

  // 0, an errno, or kShort when the call took a part only.
  static constexpr int kShort = -1;
  int write(std::string_view bytes) const;

  // What poll() says of `events` at once, or once one of them is there.
  short poll_now(short events) const;
  short poll(short events, const Deadline& deadline = Deadline()) const;

 private:
  explicit File(int fd) : fd_(fd) {}

  int fd_ = -1;
  int error_ = 0;
};

// The whole of a finite file.
Got text_of(const std::filesystem::path& file);

// An attribute without its newline. A failure of the test when it cannot be read.
std::string value(const std::filesystem::path& file);

// The sum of two steps: open for writing, and one write. The errno of what failed, or 0.
int write_to(const std::filesystem::path& file, std::string_view text, int flags = 0);

// One message through `send`, `get` and `put` of a connection's directory.
int send(const std::filesystem::path& connection, std::string_view message);
Got get(const std::filesystem::path& connection);
int put(const std::filesystem::path& connection, std::string_view message);

// What a new opener of recv, who does not wait, is given.
Got look(const std::filesystem::path& connection);

// 0, or an errno.
int make_directory(const std::filesystem::path& directory);
int remove_directory(const std::filesystem::path& directory);

// The errno of a call that answers -1, or 0.
inline int errno_of(long answer) { return answer < 0 ? errno : 0; }

}  // namespace comch::test
