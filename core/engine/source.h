// Source: something that progress() looks at in memory, without asking the kernel. A
// connection is one.
//
//   kOff     nobody looks at it: it is paused, or over.
//   kHot     every progress() polls it.
//   kAsleep  its peer was asked to ring; nobody looks until it does.
//
// Only the engine moves a source between these (SourceList); a source asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "comch/wake_word.h"
#include "transport/sign.h"

namespace comch::engine {

enum class Attention : std::uint8_t { kOff, kHot, kAsleep };

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Does a bounded amount of work; true when something happened.
  virtual bool poll() = 0;

  // The three steps of falling asleep without losing a wake-up: ask the peer to ring
  // (true: a process-wide membarrier must follow), look once more, take it back.
  virtual bool arm() = 0;
  // Between the first two, if the peer can be asked to change a word instead: that word.
  virtual std::optional<WakeWord> ask_for_word() { return std::nullopt; }
  virtual bool ready() = 0;
  virtual void disarm() = 0;
  // The engine polls and has not slept for long.
  virtual void relax() = 0;

  // What it has is for the application to take, and it is ready() until the application has.
  virtual bool is_read() const { return false; }
  // There is more to its arm() than that the peer is asked to ring.
  virtual bool arms_always() const { return false; }

  // SourceList's notes about this source; but for the sign nobody else writes them.
  struct Notes {
    Attention attention = Attention::kOff;
    bool armed = false;     // arm() was called since the last disarm().
    bool relaxed = false;   // relax() was called since the last arm().
    bool active = false;    // Something happened since the last settle().
    std::size_t index = 0;  // Place in SourceList::hot_ while kHot.
    // The source's own, set by its poll(): a word, and what it is while poll() would find nothing.
    // It is forgotten when the source is polled, or made hot once more. No word: poll() has to be
    // asked.
    transport::Sign sign;
    std::uint64_t number = 0;   // Its own, of those whose words were asked for; 0: never yet.
    std::uint64_t heeding = 0;  // The last one that it was named in; see SourceList::heed().
  };
  Notes notes;

 protected:
  ~Source() = default;
};

}  // namespace comch::engine
