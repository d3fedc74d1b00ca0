// KernelIo: which transfers registered memory is for.
#include "uring/kernel_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>

#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

TEST(KernelIoTest, PinnedPagesAreForRegisteredFilesThatPassByTheCache) {
  TempDir dir;
  std::ofstream(dir / "file") << "text";
  const auto open = [&](int flags) {
    return File(::open((dir / "file").c_str(), O_RDONLY | O_CLOEXEC | flags));
  };
  const File cached = open(0);
  const File direct = open(O_DIRECT);
  KernelIo io({.transfers = 1});
  EXPECT_FALSE(io.passes_by_the_cache(direct, false)) << "it is not known";
  const int number = io.register_file(cached).value();
  EXPECT_FALSE(io.passes_by_the_cache(number, true));
  ASSERT_TRUE(io.unregister_file(number));
  ASSERT_EQ(io.register_file(direct).value(), number);
  EXPECT_TRUE(io.passes_by_the_cache(number, true));
  ASSERT_TRUE(io.unregister_file(number));
  for (const int none : {number, -1, static_cast<int>(KernelIo::kMaxFiles), 1 << 30}) {
    EXPECT_FALSE(io.passes_by_the_cache(none, true)) << none;
  }
}

}  // namespace
}  // namespace comch::uring::test
