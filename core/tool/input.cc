// Input: cuts what read() gives into messages.
#include "tool/input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace comch::tool {

Outcome<> Input::fill() {
  pending_.erase(0, std::exchange(begin_, 0));
  std::array<char, 65536> chunk;
  const ssize_t got = ::read(fd_, chunk.data(), chunk.size());
  if (got > 0) {
    pending_.append(chunk.data(), static_cast<std::size_t>(got));
    return check_length();
  }
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  // EIO: we are a background job and the terminal is not ours to read.
  if (got < 0 && errno != EIO) {
    return complain("cannot read the input", Error{.code = Errc::operating_system, .sys = errno});
  }
  end_seen_ = true;
  return {};
}

bool Input::readable() const {
  pollfd input{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) == 1;
}

// Only the last message can be incomplete, and so too long without next() having seen it.
Outcome<> Input::check_length() const {
  const std::size_t newline = unit_ == Unit::kLine ? pending_.rfind('\n') : std::string::npos;
  const std::size_t incomplete =
      newline == std::string::npos ? pending_.size() : pending_.size() - newline - 1;
  if (incomplete <= max_message_) return {};
  return complain(
      fmt::format("a message of more than {} bytes does not fit this connection; "
                  "--max-message-size, the same on both ends, allows longer ones",
                  max_message_));
}

bool Input::exhausted() const {
  return unit_ == Unit::kWhole ? whole_taken_ : begin_ == pending_.size();
}

std::optional<std::string> Input::next() {
  if (unit_ == Unit::kLine) {
    if (const std::size_t end = pending_.find('\n', begin_); end != std::string::npos) {
      std::string line = pending_.substr(begin_, end - begin_);
      begin_ = end + 1;
      return line;
    }
  }
  if (!end_seen_ || exhausted()) return std::nullopt;
  whole_taken_ = true;
  std::string last = pending_.substr(begin_);
  begin_ = pending_.size();
  return last;
}

}  // namespace comch::tool
