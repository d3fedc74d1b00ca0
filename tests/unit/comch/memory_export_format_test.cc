// The export descriptor is the 96 bytes that FORMAT.md shows, for processes built years apart.
#include <algorithm>

#include "comch/memory_export.h"
#include "unit/wire/format_example.h"

namespace comch {
namespace {

TEST(MemoryExportFormatTest, TheExampleOfTheFormatIsWhatTheEncoderWrites) {
  MemoryExport what{.pid = 1234,
                    .token_fd = 9,
                    .memory_fd = 8,
                    .permissions = Access::kLocalReadWrite | Access::kPciReadWrite,
                    .file = {.device = 1, .inode = 123'456'789},
                    .offset = 4096,
                    .size = 65'536,
                    .address = 0x7ffff7a00000,
                    .cookie = {}};
  for (std::size_t n = 0; n < what.cookie.size(); ++n) {
    what.cookie[n] = static_cast<std::byte>(n * 0x11);
  }
  const MemoryExport::Bytes bytes = what.encode();
  const std::vector<std::byte> documented = test::documented("export descriptor");
  ASSERT_EQ(documented.size(), bytes.size());
  EXPECT_TRUE(std::ranges::equal(documented, bytes));
  EXPECT_TRUE(MemoryExport::decode(documented));
}

}  // namespace
}  // namespace comch
