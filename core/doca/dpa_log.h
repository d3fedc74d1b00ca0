// DeviceLog: where the lines of device functions go.
//
// Threads: settings by the program's, while nothing runs; writing by any, a line at a time.
// Lifetime: its accelerator's.
#pragma once

#include <doca_dpa_types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "comch/result.h"

namespace comch::doca {

class DeviceLog {
 public:
  // "stdout", "stderr", or a file, which is made anew.
  // operating_system: it cannot be made; the log is unchanged.
  Status set_path(std::string path);
  const std::string& path() const { return path_; }

  void set_level(doca_dpa_dev_log_level_t level) { level_ = level; }
  doca_dpa_dev_log_level_t level() const { return level_; }
  // Whether lines of this level are written, which need not be one of the names.
  bool takes(std::uint32_t level) const {
    return level > DOCA_DPA_DEV_LOG_LEVEL_DISABLE && level <= level_;
  }

  void write(std::string_view line) const;
  void flush() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::FILE* stream() const;

  std::string path_ = "stdout";
  std::unique_ptr<std::FILE, Close> file_;
  doca_dpa_dev_log_level_t level_ = DOCA_DPA_DEV_LOG_LEVEL_INFO;
};

}  // namespace comch::doca
