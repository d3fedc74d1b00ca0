// File: thin enough that what a test sees is what the kernel said.
#include "file.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace comch::test {

std::ostream& operator<<(std::ostream& out, const Got& got) {
  if (!got.bytes.empty()) out << '"' << got.bytes.substr(0, 200) << '"';
  if (got.bytes.size() > 200) out << " of " << got.bytes.size() << " bytes";
  if (got.error != 0) return out << " error " << ::strerrorname_np(got.error);
  return got.bytes.empty() ? out << "end of file" : out;
}

File::File(const std::filesystem::path& path, int flags)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)), error_(fd_ < 0 ? errno : 0) {}

File::File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), error_(other.error_) {}

File& File::operator=(File other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(error_, other.error_);
  return *this;
}

void File::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Got File::read(std::size_t most) const {
  if (error_ != 0) return failed(error_);
  std::string bytes(most, '\0');
  const ssize_t size = ::read(fd_, bytes.data(), bytes.size());
  if (size < 0) return failed(errno);
  bytes.resize(static_cast<std::size_t>(size));
  return {.bytes = std::move(bytes), .error = 0};
}

Got File::wait_and_read(std::size_t most, const Deadline& deadline) const {
  if (error_ != 0) return failed(error_);
  return poll(POLLIN, deadline) == 0 ? failed(ETIMEDOUT) : read(most);
}

Got File::read_to_end() const {
  Got all;
  for (;;) {
    Got next = read();
    all.bytes += next.bytes;
    all.error = next.error;
    if (next.error != 0 || next.bytes.empty()) return all;
  }
}

int File::write(std::string_view bytes) const {
  if (error_ != 0) return error_;
  const ssize_t size = ::write(fd_, bytes.data(), bytes.size());
  if (size < 0) return errno;
  return static_cast<std::size_t>(size) == bytes.size() ? 0 : kShort;
}

short File::poll_now(short events) const {
  return poll(events, Deadline(std::chrono::milliseconds(0)));
}

short File::poll(short events, const Deadline& deadline) const {
  pollfd entry{.fd = fd_, .events = events, .revents = 0};
  while (::poll(&entry, 1, deadline.left_ms()) < 0 && errno == EINTR) {
  }
  return entry.revents;
}

Got text_of(const std::filesystem::path& file) { return File(file).read_to_end(); }

std::string value(const std::filesystem::path& file) {
  Got text = text_of(file);
  if (text.error != 0) ADD_FAILURE() << file << ": " << text;
  if (!text.bytes.empty() && text.bytes.back() == '\n') text.bytes.pop_back();
  return text.bytes;
}

int write_to(const std::filesystem::path& file, std::string_view text, int flags) {
  return File(file, O_WRONLY | flags).write(text);
}

int send(const std::filesystem::path& connection, std::string_view message) {
  return write_to(connection / "send", message);
}

Got get(const std::filesystem::path& connection) { return File(connection / "get").read_to_end(); }

int put(const std::filesystem::path& connection, std::string_view message) {
  const File file(connection / "put", O_WRONLY);
  while (file.error() == 0 && !message.empty()) {
    const std::string_view part = message.substr(0, 1000);
    if (const int error = file.write(part); error != 0) return error;
    message.remove_prefix(part.size());
  }
  return file.error();
}

Got look(const std::filesystem::path& connection) {
  return File(connection / "recv", O_RDONLY | O_NONBLOCK).read();
}

int make_directory(const std::filesystem::path& directory) {
  return errno_of(::mkdir(directory.c_str(), 0777));
}

int remove_directory(const std::filesystem::path& directory) {
  return errno_of(::rmdir(directory.c_str()));
}

}  // namespace comch::test
