// File cells: comchfs beside a file system that does nothing.
#include <exception>
#include <memory>
#include <optional>

#include "bench/plan.h"
#include "bench/trees.h"

namespace comch::bench {
namespace {

constexpr int kFramedMessages = 64;
constexpr const char* kBareSmall = "file write + read 64 B: bare";
constexpr const char* kBarePage = "file write + read 4 KiB: bare";
constexpr const char* kComchSmall = "file write + read 64 B: comchfs";
constexpr const char* kComchFramed = "file write + read 64 x 64 B, framed: comchfs";

// Made at the first sample, so that a machine without mounts loses only these cells.
template <class Tree>
class Late {
 public:
  explicit Late(std::filesystem::path program) : program_(std::move(program)) {}
  Tree& operator*() {
    if (const auto why = MountedProgram::unavailable(program_)) throw Unavailable(*why);
    if (!tree_) tree_.emplace(program_);
    return *tree_;
  }

 private:
  std::filesystem::path program_;
  std::optional<Tree> tree_;
};

}  // namespace

std::vector<Cell> file_cells(const Options& options) {
  const auto bare = std::make_shared<Late<BareTree>>(options.bare_fuse);
  const auto comch = std::make_shared<Late<ComchTree>>(options.comchfs);
  const Duration time = options.cell;
  const auto cell = [](const char* name, const auto& measure) {
    return Cell{.name = name, .unit = "ns", .measure = measure};
  };
  return {
      cell(kBareSmall, [=](const Pair&) { return (**bare).write_and_read_ns(time, 64); }),
      cell(kComchSmall, [=](const Pair&) { return (**comch).write_and_read_ns(time); }),
      cell(kBarePage, [=](const Pair&) { return (**bare).write_and_read_ns(time, 4096); }),
      cell(kComchFramed,
           [=](const Pair&) { return (**comch).framed_write_and_read_ns(time, kFramedMessages); }),
  };
}

std::vector<Goal> file_goals() {
  return {{"file write + read 64 B to bare", kComchSmall, kBareSmall, at_most(1.15)},
          {"file, 64 messages framed to bare 4 KiB", kComchFramed, kBarePage, at_most(1.5)}};
}

}  // namespace comch::bench
