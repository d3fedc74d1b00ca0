// Writer and Reader: numbers and strings in a packet, little-endian, without padding.
//
// Both remember that something went wrong and do nothing from then on, so that a packet is
// written or read field by field, in the order of FORMAT.md, and asked once at the end.
//
//   Reader in(packet);
//   const std::uint16_t version = in.number<std::uint16_t>();
//   std::string name = in.text(119);
//   if (!in.done()) return fail(Errc::connection_reset);   // Short, or something is left.
//
// Threads: values of one thread. Lifetime: they refer to the bytes and are outlived by them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace comch::wire {

class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}

  template <std::unsigned_integral T>
  void number(T value) {
    if (!take(sizeof(T))) return;
    for (std::size_t n = 0; n < sizeof(T); ++n) {
      out_[at_++] = static_cast<std::byte>(value >> (8 * n));
    }
  }

  // Its length in one byte, then the string.
  void text(std::string_view value) {
    if (value.size() > 255) ok_ = false;
    number(static_cast<std::uint8_t>(value.size()));
    if (!take(value.size())) return;
    if (!value.empty()) std::memcpy(out_.data() + at_, value.data(), value.size());
    at_ += value.size();
  }

  // The bytes written, or 0 when they did not fit.
  [[nodiscard]] std::size_t written() const { return ok_ ? at_ : 0; }

 private:
  bool take(std::size_t size) { return ok_ = ok_ && size <= out_.size() - at_; }

  std::span<std::byte> out_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  // Zero once the bytes have run out; done() tells.
  template <std::unsigned_integral T>
  T number() {
    if (!take(sizeof(T))) return 0;
    std::uint64_t value = 0;
    for (std::size_t n = 0; n < sizeof(T); ++n) {
      value |= std::to_integer<std::uint64_t>(in_[at_++]) << (8 * n);
    }
    return static_cast<T>(value);
  }

  // A string of at most `limit` bytes without NUL.
  std::string text(std::size_t limit) {
    const std::size_t size = number<std::uint8_t>();
    if (size > limit || !take(size)) {
      ok_ = false;
      return {};
    }
    std::string value(reinterpret_cast<const char*>(in_.data() + at_), size);
    at_ += size;
    if (value.find('\0') != std::string::npos) ok_ = false;
    return value;
  }

  // Whether everything was there and nothing is left.
  [[nodiscard]] bool done() const { return ok_ && at_ == in_.size(); }

 private:
  bool take(std::size_t size) { return ok_ = ok_ && size <= in_.size() - at_; }

  std::span<const std::byte> in_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace comch::wire
