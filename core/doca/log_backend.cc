// LogBackend: files, descriptors, buffers and syslog.
#include "doca/log_backend.h"

#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace comch::doca {

namespace {

// One fwrite per line, so that lines of several threads and processes stay whole.
void write_to(std::FILE* file, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), file);
  std::fflush(file);
}

class FileBackend final : public doca_log_backend {
 public:
  explicit FileBackend(std::FILE* file) : file_(file) {}
  void write(std::uint32_t, std::string_view line) override { write_to(file_, line); }

 private:
  std::FILE* file_;
};

class FdBackend final : public doca_log_backend {
 public:
  explicit FdBackend(int fd) : fd_(fd) {}
  void write(std::uint32_t, std::string_view line) override {
    while (!line.empty()) {
      const ssize_t written = ::write(fd_, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      line.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  int fd_;
};

class BufferBackend final : public doca_log_backend {
 public:
  BufferBackend(char* buffer, std::size_t capacity, log_flush_callback handler)
      : buffer_(buffer), capacity_(capacity), handler_(handler) {}
  void write(std::uint32_t, std::string_view line) override {
    const std::string_view shown = line.substr(0, capacity_ - 1);
    *std::ranges::copy(shown, buffer_).out = '\0';
    handler_(buffer_);
  }

 private:
  char* buffer_;
  std::size_t capacity_;
  log_flush_callback handler_;
};

class SyslogBackend final : public doca_log_backend {
 public:
  void write(std::uint32_t level, std::string_view line) override {
    syslog(priority_of(level), "%.*s", static_cast<int>(line.size()), line.data());
  }

 private:
  static int priority_of(std::uint32_t level) {
    switch (level) {
      case DOCA_LOG_LEVEL_CRIT:
        return LOG_CRIT;
      case DOCA_LOG_LEVEL_ERROR:
        return LOG_ERR;
      case DOCA_LOG_LEVEL_WARNING:
        return LOG_WARNING;
      case DOCA_LOG_LEVEL_INFO:
        return LOG_INFO;
      default:
        return LOG_DEBUG;
    }
  }
};

class StandardBackend final : public doca_log_backend {
 public:
  void write(std::uint32_t level, std::string_view line) override {
    write_to(level >= DOCA_LOG_LEVEL_INFO ? stdout : stderr, line);
  }
};

}  // namespace

std::unique_ptr<doca_log_backend> file_backend(std::FILE* file) {
  return std::make_unique<FileBackend>(file);
}

std::unique_ptr<doca_log_backend> fd_backend(int fd) { return std::make_unique<FdBackend>(fd); }

std::unique_ptr<doca_log_backend> buffer_backend(char* buffer, std::size_t capacity,
                                                 log_flush_callback handler) {
  return std::make_unique<BufferBackend>(buffer, capacity, handler);
}

std::unique_ptr<doca_log_backend> syslog_backend(std::string_view name) {
  // syslog keeps the pointer to the name for as long as the process lives.
  static const std::string& open_as = [name]() -> const std::string& {
    const auto& kept = *new std::string(name);
    openlog(kept.c_str(), LOG_PID, LOG_USER);
    return kept;
  }();
  if (open_as != name) return nullptr;
  return std::make_unique<SyslogBackend>();
}

std::unique_ptr<doca_log_backend> standard_backend() { return std::make_unique<StandardBackend>(); }

}  // namespace comch::doca
