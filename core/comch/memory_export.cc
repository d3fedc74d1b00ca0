// MemoryExport: see memory_export.h.
#include "comch/memory_export.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "os/identity.h"
#include "os/memfd.h"
#include "os/proc_fd.h"
#include "os/random.h"
#include "wire/bytes.h"

namespace comch {
namespace {

constexpr std::uint32_t kMagic = 0x584d4d43;  // "CMMX", read as a little-endian number.
constexpr std::uint16_t kVersion = 1;

// The descriptor is at fault, or whoever it names; the documents know one code for that.
std::unexpected<Error> not_exported(Error error) {
  if (error.code == Errc::not_found || error.code == Errc::connection_reset) {
    error.code = Errc::invalid_value;
    error.what = "the descriptor names no memory that is exported now";
  }
  return std::unexpected(error);
}

std::optional<std::int32_t> positive(std::uint32_t number) {
  if (number > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) return {};
  return static_cast<std::int32_t>(number);
}

// What the token says is what the descriptor says, so the exporter has made it.
Status check_token(const MemoryExport& what, std::span<const std::byte> descriptor) {
  const Result<os::Fd> token = os::open_memory_of(what.pid, what.token_fd, os::Window::kRead);
  if (!token) return not_exported(token.error());
  MemoryExport::Bytes said;
  if (Status s = os::read_frozen_memory(*token, said); !s) return s;
  if (!std::ranges::equal(said, descriptor)) {
    return fail(Errc::invalid_value, "the descriptor is not what its exporter has made");
  }
  return {};
}

// The memory itself: the file it was, which cannot be cut short, with the whole range.
Result<os::Fd> open_checked(const MemoryExport& what, os::Window::Use use) {
  Result<os::Fd> memory = os::open_memory_of(what.pid, what.memory_fd, use);
  if (!memory) return not_exported(memory.error());
  const Result<os::FileId> file = os::file_id(*memory);
  if (!file) return std::unexpected(file.error());
  if (*file != what.file) return not_exported({.code = Errc::not_found});
  const Result<std::uint64_t> size = os::sealed_size(*memory);
  if (!size) return not_exported(size.error());
  if (!contains(*size, {what.offset, what.size})) {
    return fail(Errc::invalid_value, "the descriptor's range is not inside its memory");
  }
  return memory;
}

}  // namespace

MemoryExport::Bytes MemoryExport::encode() const {
  Bytes bytes{};
  wire::Writer out(bytes);
  out.number(kMagic);
  out.number(kVersion);
  out.number(std::uint16_t{0});
  out.number(static_cast<std::uint32_t>(pid));
  out.number(static_cast<std::uint32_t>(token_fd));
  out.number(static_cast<std::uint32_t>(memory_fd));
  out.number(static_cast<std::uint32_t>(permissions));
  out.number(file.device);
  out.number(file.inode);
  out.number(offset);
  out.number(size);
  out.number(address);
  std::ranges::copy(cookie, bytes.begin() + static_cast<std::ptrdiff_t>(out.written()));
  return bytes;
}

Result<MemoryExport> MemoryExport::decode(std::span<const std::byte> bytes) {
  const auto not_one = [] { return fail(Errc::invalid_value, "this is no export descriptor"); };
  wire::Reader in(bytes);
  if (in.number<std::uint32_t>() != kMagic) return not_one();
  if (in.number<std::uint16_t>() != kVersion) {
    return fail(Errc::not_supported, "the export descriptor is of a version not known here");
  }
  std::uint64_t reserved = in.number<std::uint16_t>();
  const auto pid = positive(in.number<std::uint32_t>());
  const auto token_fd = positive(in.number<std::uint32_t>());
  const auto memory_fd = positive(in.number<std::uint32_t>());
  MemoryExport what;
  what.permissions = static_cast<Access>(in.number<std::uint32_t>());
  what.file.device = in.number<std::uint64_t>();
  what.file.inode = in.number<std::uint64_t>();
  what.offset = in.number<std::uint64_t>();
  what.size = in.number<std::uint64_t>();
  what.address = in.number<std::uint64_t>();
  for (std::byte& b : what.cookie) b = std::byte{in.number<std::uint8_t>()};
  reserved |= in.number<std::uint64_t>();
  reserved |= in.number<std::uint64_t>();
  if (!in.done() || reserved != 0 || !pid || !token_fd || !memory_fd) return not_one();
  if ((what.permissions & kAllAccess) != what.permissions || !others_may_read(what.permissions) ||
      what.size == 0 || !checked_add(what.address, what.size)) {
    return not_one();
  }
  what.pid = *pid;
  what.token_fd = *token_fd;
  what.memory_fd = *memory_fd;
  return what;
}

Result<ExportedMemory> export_memory(const os::Fd& fd, MemoryExport what) {
  const Result<os::FileId> file = os::file_id(fd);
  if (!file) return std::unexpected(file.error());
  what.file = *file;
  what.pid = os::own_pid();
  what.memory_fd = fd.get();
  if (Status s = os::fill_random(what.cookie); !s) return std::unexpected(s.error());
  Result<os::Fd> token = os::make_blank_memory("comch-export");
  if (!token) return std::unexpected(token.error());
  what.token_fd = token->get();  // The token names itself.
  const MemoryExport::Bytes descriptor = what.encode();
  if (Status s = os::freeze_memory(*token, descriptor); !s) return std::unexpected(s.error());
  return ExportedMemory{.token = std::move(*token), .descriptor = descriptor};
}

Result<ImportedMemory> import_memory(std::span<const std::byte> descriptor) {
  const Result<MemoryExport> what = MemoryExport::decode(descriptor);
  if (!what) return std::unexpected(what.error());
  if (Status s = check_token(*what, descriptor); !s) return std::unexpected(s.error());
  const auto use = others_may_write(what->permissions) ? os::Window::kWrite : os::Window::kRead;
  Result<os::Fd> memory = open_checked(*what, use);
  if (!memory) return std::unexpected(memory.error());
  Result<os::Window> window = os::Window::map(*memory, {what->offset, what->size}, use);
  if (!window) return std::unexpected(window.error());
  return ImportedMemory{.what = *what, .fd = std::move(*memory), .window = std::move(*window)};
}

}  // namespace comch
