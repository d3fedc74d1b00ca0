// Whole files through `put` and `get` of the fast path: nothing is lost, and nothing grows.
#include <fstream>
#include <iostream>
#include <random>

#include "fast_fixture.h"
#include "shell.h"
#include "support/sanitizers.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

// What a daemon holds beyond what it uses: the address sanitizer keeps what was freed for a while,
// 256 MiB of it and what lies between; the thread sanitizer notes of each byte who has used it, in
// several.
constexpr std::size_t kKeptBack = COMCH_ADDRESS_SANITIZER * (std::size_t{512} << 20U) +
                                  COMCH_THREAD_SANITIZER * (std::size_t{256} << 20U);

// Memory in use at its highest, in bytes.
std::size_t most_memory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  ADD_FAILURE() << "no VmHWM of " << pid;
  return 0;
}

struct WholeFileTest : FastTest {
  // cp of a file of `size` bytes, and its checksum at the other end.
  void send_file(std::uint64_t size, const std::chrono::seconds& patience) {
    Watchdog::allow(patience);
    connect_ends();
    const TempDir dir;
    const fs::path file = dir / "file";
    fill(file, size);
    const std::string sum = shell(dir.path(), "md5sum < file", Deadline(patience)).output;
    ASSERT_EQ(sum.size(), 36U) << sum;
    const std::size_t before = most_memory(tree().daemon().pid());
    // Holes are skipped by seeking, which a stream does not do.
    const std::string script = "cp --sparse=never " + file.string() + " " +
                               (producer_ / "put").string() + " & " + "md5sum < " +
                               (consumer_ / "get").string() + " && wait $!";
    EXPECT_EQ(shell("/", script, Deadline(patience)), said(sum));
    // The consumer's buffers, which both ends of this mount map, and a few parts.
    constexpr std::size_t kBound = std::size_t{64} << 20U;
    EXPECT_LT(most_memory(tree().daemon().pid()), before + kBound + kKeptBack);
  }

 private:
  static void fill(const fs::path& file, std::uint64_t size) {
    const std::uint64_t seed_used = seed();
    RecordProperty("seed", std::to_string(seed_used));
    std::cout << "seed " << seed_used << '\n';
    std::mt19937_64 random(seed_used);
    std::ofstream out(file, std::ios::binary);
    constexpr int kIslands = 64;
    for (int n = 0; n < kIslands; ++n) {
      out.seekp(static_cast<std::streamoff>(random() % (size - 4096)));
      for (int word = 0; word < 512; ++word) {
        const std::uint64_t bits = random();
        out.write(reinterpret_cast<const char*>(&bits), sizeof bits);
      }
    }
    out.close();
    fs::resize_file(file, size);
  }
};

TEST_F(WholeFileTest, QuarterOfAGibibyteArrivesInBoundedMemory) {
  send_file(std::uint64_t{256} << 20U, std::chrono::seconds(60));
}

TEST_F(WholeFileTest, FiveGibibytesArriveInBoundedMemory) {
  send_file(std::uint64_t{5} << 30U, std::chrono::seconds(600));
}

}  // namespace
}  // namespace comch::test
