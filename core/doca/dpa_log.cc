// DeviceLog: see dpa_log.h.
#include "doca/dpa_log.h"

#include <cerrno>
#include <utility>

namespace comch::doca {

Status DeviceLog::set_path(std::string path) {
  std::unique_ptr<std::FILE, Close> file;
  if (path != "stdout" && path != "stderr") {
    file.reset(std::fopen(path.c_str(), "we"));
    if (!file) return fail(Errc::operating_system, "the log file cannot be made", errno);
  }
  path_ = std::move(path);
  file_ = std::move(file);
  return {};
}

std::FILE* DeviceLog::stream() const {
  if (file_) return file_.get();
  return path_ == "stderr" ? stderr : stdout;
}

// One call, so that lines of several threads do not mix.
void DeviceLog::write(std::string_view line) const {
  std::fwrite(line.data(), 1, line.size(), stream());
}

void DeviceLog::flush() const { std::fflush(stream()); }

}  // namespace comch::doca
