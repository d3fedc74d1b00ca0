// ControlLayout: see layout.h. Pure functions of their arguments; write_head() alone touches
// memory, and only for people.
#include "shm/layout.h"

#include <array>
#include <cstring>

namespace comch::shm {
namespace {

constexpr std::uint64_t kMagic = 0x4745525F48434D43;  // "CMCH_REG", read as bytes.
constexpr std::uint32_t kVersion = 1;

// Far enough apart for any line, and for the pairs of lines that prefetchers fetch.
constexpr std::uint64_t kToServerWords = 1024;
constexpr std::uint64_t kToClientWords = 2048;
static_assert(kToServerWords + sizeof(RingShared<>) <= kToClientWords);
static_assert(kToClientWords + sizeof(RingShared<>) <= kPage);

// No sum in make() can wrap: two of the largest rings and a page are far below 2^32.
static_assert(ring_capacity(kMaxMessage, kMaxQueue) <= 1U << 20U);

bool within(std::uint32_t value, std::uint32_t limit) { return value >= 1 && value <= limit; }

}  // namespace

Result<ControlLayout> ControlLayout::make(const Sizes& sizes) {
  if (!within(sizes.max_message, kMaxMessage) || !within(sizes.to_server_queue, kMaxQueue) ||
      !within(sizes.to_client_queue, kMaxQueue)) {
    return fail(Errc::invalid_value, "message size or queue outside its limits");
  }
  ControlLayout layout;
  layout.max_message = sizes.max_message;
  layout.to_server = {.shared = kToServerWords,
                      .data = kPage,
                      .capacity = ring_capacity(sizes.max_message, sizes.to_server_queue),
                      .queue = sizes.to_server_queue};
  layout.to_client = {.shared = kToClientWords,
                      .data = kPage + std::uint64_t{layout.to_server.capacity},
                      .capacity = ring_capacity(sizes.max_message, sizes.to_client_queue),
                      .queue = sizes.to_client_queue};
  layout.size = layout.to_client.data + layout.to_client.capacity;
  return layout;
}

void write_head(std::byte* base, const ControlLayout& layout) {
  const std::array<std::uint32_t, 6> numbers = {
      kVersion,
      layout.max_message,
      layout.to_server.capacity,
      layout.to_server.queue,
      layout.to_client.capacity,
      layout.to_client.queue,
  };
  std::memcpy(base, &kMagic, sizeof kMagic);
  std::memcpy(base + sizeof kMagic, numbers.data(), sizeof numbers);
}

}  // namespace comch::shm
