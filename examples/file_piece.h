// FilePiece: what goes beside each piece of a file, as immediate data: whose it is, where it
// belongs, and how to know that the file is whole.
//
//   std::array<std::byte, FilePiece::kSize> beside = piece.bytes();
//   std::optional<FilePiece> piece = FilePiece::from(completion.immediate());
//
// A piece without a name is the end of all files. Errors: from() answers nothing for what is no
// piece, or names something outside of the directory.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

struct FilePiece {
  static constexpr std::size_t kMostName = 199;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20U;  // Of a file, in a message.

  std::uint64_t offset = 0;
  std::uint64_t size = 0;      // Of the whole file, and
  std::uint64_t checksum = 0;  // of all of its bytes.
  std::array<char, kMostName + 1> name{};

  static constexpr std::size_t kSize = 3 * sizeof(std::uint64_t) + kMostName + 1;

  std::array<std::byte, kSize> bytes() const {
    std::array<std::byte, kSize> out{};
    std::memcpy(out.data(), this, kSize);
    return out;
  }
  static std::optional<FilePiece> from(std::span<const std::byte> bytes) {
    FilePiece piece;
    if (bytes.size() != kSize) return std::nullopt;
    std::memcpy(&piece, bytes.data(), kSize);
    const std::string name(piece.name.data(), ::strnlen(piece.name.data(), piece.name.size()));
    const bool outside = name == "." || name == ".." || name.contains('/');
    if (outside || name.size() > kMostName || piece.offset > piece.size) return std::nullopt;
    return piece;
  }
};
static_assert(sizeof(FilePiece) == FilePiece::kSize, "its bytes are sent as they lie");

// FNV-1a, of a file that is read through; of one that cannot be, of as much as can.
inline std::uint64_t checksum_of(int fd) {
  std::uint64_t sum = 0xcbf29ce484222325;
  std::array<char, std::size_t{1} << 16U> some;
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(fd, some.data(), some.size(), at);
    if (count <= 0) return sum;
    at += count;
    for (const char c : std::span(some).first(static_cast<std::size_t>(count))) {
      sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
}
