// Rooms: see rooms.h.
#include "system/fast/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace comch::test {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kGap = 64;

// No two words of one message are alike, nor words at one place of messages with other seeds.
constexpr std::uint64_t word(std::uint64_t seed, std::uint64_t n) {
  return (seed + 1) * 0x9e37'79b9'7f4a'7c15U + n * 0x2545'f491'4f6c'dd1dU;
}

}  // namespace

void fill(std::span<std::byte> to, std::uint64_t seed) {
  const std::size_t words = to.size() / kWord;
  for (std::size_t n = 0; n < words; ++n) {
    const std::uint64_t value = word(seed, n);
    std::memcpy(to.data() + n * kWord, &value, kWord);
  }
  const std::uint64_t last = word(seed, words);
  if (to.size() % kWord != 0) std::memcpy(to.data() + words * kWord, &last, to.size() % kWord);
}

bool holds(std::span<const std::byte> bytes, std::uint64_t seed) {
  const std::size_t words = bytes.size() / kWord;
  std::uint64_t wrong = 0;
  for (std::size_t n = 0; n < words; ++n) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + n * kWord, kWord);
    wrong |= value ^ word(seed, n);
  }
  const std::uint64_t last = word(seed, words);
  const std::span rest = bytes.subspan(words * kWord);
  return wrong == 0 && (rest.empty() || std::memcmp(rest.data(), &last, rest.size()) == 0);
}

Rooms::Rooms(std::size_t count, std::size_t size, Kind kind)
    : count_(count), size_(std::max<std::size_t>(size, 1)), pitch_(size_ + kGap) {
  if (kind != Kind::kPrivate) {
    const HugePages pages = kind == Kind::kHuge ? HugePages::kPool : HugePages::kNo;
    map_->allocate(count_ * pitch_, {.huge_pages = pages}).value();
  } else {
    own_ = std::malloc(count_ * pitch_);
    map_->set_range(own_, count_ * pitch_).value();
  }
  start();
}

Rooms::Rooms(std::span<std::byte> memory) : count_(1), size_(memory.size()), pitch_(size_) {
  map_->set_range(memory.data(), memory.size()).value();
  start();
}

void Rooms::start() {
  map_->set_permissions(Access::kLocalReadWrite | Access::kPciReadWrite).value();
  map_->add_device(Device::open_first(Side::kHost).value()).value();
  map_->start().value();
  memory_ = map_->range().value();
  inventory_ = BufferInventory::create(2 * count_).value();
  inventory_->start().value();
  for (std::size_t n = 0; n < count_; ++n) fill(gap(n), n);
}

std::span<std::byte> Rooms::gap(std::size_t n) const {
  return memory_.subspan(n * pitch_ + size_, pitch_ - size_);
}

Rooms::~Rooms() {
  for (std::size_t n = 0; n < count_; ++n) {
    EXPECT_TRUE(!guarded_ || holds(gap(n), n)) << "written behind room " << n;
  }
  EXPECT_TRUE(BufferInventory::destroy(inventory_)) << "buffers are out";
  if (inventory_) return;  // What they point into stays.
  EXPECT_TRUE(MemoryMap::destroy(map_));
  std::free(own_);
}

Buffer* Rooms::empty(std::size_t n) { return inventory_->get_by_address(*map_, bytes(n)).value(); }

Buffer* Rooms::data(std::size_t n, std::size_t length) {
  return inventory_->get_by_args(*map_, bytes(n), bytes(n).first(length)).value();
}

std::size_t Rooms::of(const Buffer& buffer) const {
  return static_cast<std::size_t>(buffer.head() - memory_.data()) / pitch_;
}

}  // namespace comch::test
