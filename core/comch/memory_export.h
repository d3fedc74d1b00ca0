// MemoryExport: the descriptor by which another process maps a memory map.
//
// It names two descriptors of the exporter: the memory's, and that of a *token*: a memfd
// sealed against writing that holds the very same bytes, with a cookie nobody can guess.
// So an importer believes no number of a descriptor: it reads the token, and what the
// token says only the process with that pid can have said. A descriptor that was altered,
// made up, or that outlived its map (numbers are reused) has no token that is like it.
//
// 96 bytes, little-endian, without padding:
//
//    0   4  the letters CMMX          32   8  inode number
//    4   2  version: 1                40   8  offset of the range in the memory
//    6   2  reserved, 0               48   8  size of the range
//    8   4  pid of the exporter       56   8  address of the range in the exporter
//   12   4  the token's descriptor    64  16  cookie
//   16   4  the memory's descriptor   80  16  reserved, 0
//   20   4  permissions (Access)
//   24   8  device number of the memory's file system
//
// Threads: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/memory_map.h"
#include "comch/result.h"
#include "os/fd.h"
#include "os/memory.h"
#include "os/window.h"

namespace comch {

inline constexpr auto kAllAccess = Access{127};  // Each permission that there is.

struct MemoryExport {
  static constexpr std::size_t kSize = 96;
  using Bytes = std::array<std::byte, kSize>;

  std::int32_t pid = 0;
  std::int32_t token_fd = 0;
  std::int32_t memory_fd = 0;
  Access permissions = Access{};
  os::FileId file{};
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t address = 0;
  std::array<std::byte, 16> cookie{};

  Bytes encode() const;
  // invalid_value: no descriptor. not_supported: of a version that is not known.
  static Result<MemoryExport> decode(std::span<const std::byte> bytes);
};

// Whether an importer may write.
constexpr bool others_may_write(Access permissions) {
  return allows(permissions, Access::kPciReadWrite | Access::kRdmaWrite | Access::kRdmaAtomic);
}
// Whether there are to be importers at all.
constexpr bool others_may_read(Access permissions) {
  return others_may_write(permissions) ||
         allows(permissions, Access::kPciReadOnly | Access::kRdmaRead);
}

// An export in being: the token, and the bytes that name it.
struct ExportedMemory {
  os::Fd token;
  MemoryExport::Bytes descriptor{};
};

// Makes the token for memory `fd`; the caller has filled offset, size, address and
// permissions. operating_system: see sys.
Result<ExportedMemory> export_memory(const os::Fd& fd, MemoryExport what);

// Memory of another process, found, checked and mapped.
struct ImportedMemory {
  MemoryExport what;
  os::Fd fd;
  os::Window window;
};

// See MemoryMap::create_from_export().
Result<ImportedMemory> import_memory(std::span<const std::byte> descriptor);

}  // namespace comch
