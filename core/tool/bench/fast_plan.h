// FastPlan: one benchmark of the fast path, as both of its processes know it before they part.
//
// Threads: plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "comch/consumer.h"
#include "tool/bench/placement.h"
#include "tool/bench/turn.h"
#include "tool/common_options.h"

namespace comch::tool {

// How a message gets to the consumer: by one of the ways of comch's own choice, or of the
// user's (see DataWay), written in place into the posted buffer, or passed by its place.
enum class Way : std::uint8_t { kAuto, kMapped, kStaged, kCma, kLoan, kHandOver };
inline constexpr std::size_t kWays = 6;
std::string_view name(Way way);  // "auto", "mapped", ..., "hand-over"
std::optional<Way> parse_way(std::string_view word);

// With a task and a callback for each message, or many messages in a call.
enum class By : std::uint8_t { kTasks, kArrays };
constexpr std::string_view name(By by) { return by == By::kTasks ? "tasks" : "arrays"; }

// Which of the two APIs both processes are programs of.
enum class Api : std::uint8_t { kCpp, kDoca };
constexpr std::string_view name(Api api) { return api == Api::kCpp ? "c++" : "doca"; }

// Whose memory the buffers are of: comch's, which the other process can map, or the
// program's own, which is all that the C API knows.
enum class Storage : std::uint8_t { kComch, kProgram };

struct FastPlan {
  static constexpr std::uint32_t kMostEnds = 64;  // Producers, or consumers.

  CommonOptions common;
  Api api = Api::kCpp;
  std::size_t size = 64;
  Storage memory = Storage::kComch;
  Way way = Way::kAuto;
  By by = By::kTasks;
  bool reads = false;  // Every line of what is received.
  Waiting waiting = Waiting::kPoll;
  std::uint32_t producers = 1;  // Of this process; each has a thread.
  std::uint32_t consumers = 1;  // Of the other one.
  double seconds = 1;           // For each of the two measurements.
  ProcessorPair cpus;

  // Buffers posted, and messages under way: of small ones many, of large ones as many as two
  // MiB hold, which stay in the caches, but enough to keep both sides at work.
  std::uint32_t depth() const {
    constexpr std::size_t kTogether = std::size_t{2} << 20U;
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(kTogether / size, 2, 256));
  }
};

// Of a round trip one is under way; the second lets the receiver post in peace.
inline constexpr std::uint32_t kReplyDepth = 2;

}  // namespace comch::tool
