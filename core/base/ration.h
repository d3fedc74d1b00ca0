// Ration: how many lines of one kind the log takes, however often there is cause for one.
//
//   kLines lines | the last of them says so | silence, counted | the first after kWindow_ns tells
//   <------------------- kWindow_ns of the first -------------> the count, and begins again
//
//   Ration ration;
//   if (const Ration::Leave leave = ration.ask(now_ns)) log(level, line + leave.remark());
//
// Who may connect can give cause for a line as often as it likes, and would fill the disk that the
// log lies on. The first lines are what tells a reader what happens; of the others it is enough
// to know how many there were.
//
// Rations: those of all kinds. kKinds of them are remembered, the latest; where all of these are in
// their window, further kinds share one ration. A kind that is forgotten takes its count along.
//
// Threads: one at a time; the log has a lock. The clock is the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace comch {

class Ration {
 public:
  static constexpr std::uint32_t kLines = 10;
  static constexpr std::uint64_t kWindow_ns = 60'000'000'000;

  // What is to become of a line.
  struct Leave {
    bool granted = false;
    bool last = false;               // Of this window.
    std::uint64_t withheld = 0;      // How many were kept back since one was granted,
    std::uint64_t withheld_for = 0;  // and since how many seconds.

    explicit operator bool() const { return granted; }
    // What the line ends with; empty for most.
    [[nodiscard]] std::string remark() const;
  };

  [[nodiscard]] Leave ask(std::uint64_t now_ns);
  [[nodiscard]] bool is_over(std::uint64_t now_ns) const {
    return asked_ == 0 || now_ns - began_ns_ >= kWindow_ns;
  }
  [[nodiscard]] std::uint64_t began_ns() const { return began_ns_; }

 private:
  std::uint64_t began_ns_ = 0;
  std::uint64_t asked_ = 0;  // In this window; 0 before the first.
};

class Rations {
 public:
  static constexpr std::size_t kKinds = 64;

  [[nodiscard]] Ration::Leave ask(std::uint64_t kind, std::uint64_t now_ns);

 private:
  struct Kind {
    std::uint64_t number = 0;
    Ration ration;
  };
  std::array<Kind, kKinds> kinds_;
  Ration others_;
};

}  // namespace comch
