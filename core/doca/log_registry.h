// LogRegistry: the sources, backends and limits of a process, and the lines between them.
//
// It is made by whoever comes first, which may be a constructor of the program that runs before
// those of this library, and is never destroyed.
//
// The library's own lines come from comch/log.h: its sink leads here as soon as there is an SDK
// backend, and its level is that of the loudest one.
//
// Threads: any. Callbacks of buffers are called under the lock; a line that they log themselves
// is dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doca/log_backend.h"
#include "doca/log_line.h"

namespace comch::doca {

class LogRegistry {
 public:
  // Limits of the program's lines, and the one of the library's.
  enum class Limit : std::uint8_t { kLower, kUpper, kSdk };

  int add_source(std::string_view name);  // From 1 on.
  bool remove_source(int source);

  // From then on the backend has the global limits.
  doca_log_backend* add(std::unique_ptr<doca_log_backend> backend, bool sdk);
  void add_standard();  // Once in a process.

  // False: the backend takes no part in this limit, or a strict limit would become wider.
  bool set(doca_log_backend& backend, Limit limit, std::uint32_t level);
  bool set_strict(doca_log_backend& backend, Limit limit);
  void set_all(Limit limit, std::uint32_t level);
  std::uint32_t global(Limit limit) const;

  // Whether a line of the program might be written anywhere.
  bool wanted(std::uint32_t level) const {
    return level <= loudest_.load(std::memory_order_relaxed);  // Meets no edge: a hint.
  }
  void write(std::uint32_t level, int source, const LogPlace& place, std::string_view message);
  void write_sdk(std::uint32_t level, std::string_view message);

 private:
  void write_to(bool sdk, std::uint32_t level, const std::string& line);
  bool change(doca_log_backend& backend, Limit limit, std::uint32_t level);
  void find_loudest();
  void follow_backends();

  mutable std::mutex mutex_;
  std::vector<std::optional<std::string>> sources_;  // By number - 1; those that left are empty.
  std::vector<std::unique_ptr<doca_log_backend>> backends_;
  bool has_standard_ = false;
  std::uint32_t lower_ = DOCA_LOG_LEVEL_INFO;
  std::uint32_t upper_ = DOCA_LOG_LEVEL_CRIT;
  std::uint32_t sdk_ = DOCA_LOG_LEVEL_WARNING;
  std::atomic<std::uint32_t> loudest_{0};

  std::mutex library_;  // Held, before mutex_, by who changes the library's log.
  bool has_sink_ = false;
};

LogRegistry& log_registry();

}  // namespace comch::doca
