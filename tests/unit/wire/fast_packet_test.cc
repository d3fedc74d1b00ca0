// The contract of the fast path's packets: what is read back, what is refused, and that the
// examples in FORMAT.md are what the encoder writes.
#include "wire/fast_packet.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/encoded.h"
#include "unit/wire/format_example.h"
#include "wire/handshake.h"

namespace comch::wire {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::uint64_t kPage = 4096;

Errc refused(const Bytes& bytes) {
  const Result<FastPacket> packet = decode_fast(bytes);
  return packet ? Errc::skipped : packet.error().code;
}

// The examples of FORMAT.md.
Consumer consumer() {
  return {.id = 2,
          .depth = 64,
          .immediate_max = 32,
          .way = Way::kMapped,
          .membarrier = true,
          .map_offset = 8192,
          .map_size = 1U << 20U};
}
Lane lane() { return {.producer = 5, .slots = 0, .handles = 1024, .bounce_size = 1U << 20U}; }
Map map() { return {.number = 0, .offset = 4096, .size = 2U << 20U}; }

struct Example {
  const char* name;
  FastPacket packet;
};
std::vector<Example> examples() {
  return {{"Consumer", consumer()},     {"ConsumerEnd", ConsumerEnd{2}},
          {"Accepted", Accepted{true}}, {"Lane", lane()},
          {"LaneEnd", LaneEnd{5}},      {"Map", map()},
          {"MapEnd", MapEnd{3}},        {"File", File{4}}};
}

void expect_round_trip(const FastPacket& packet) {
  const Bytes bytes = encoded(packet);
  ASSERT_FALSE(bytes.empty());
  const Result<FastPacket> back = decode_fast(bytes);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, packet);
}

TEST(FastPacketTest, TheExamplesOfTheFormatAreWhatTheEncoderWrites) {
  for (const Example& example : examples()) {
    EXPECT_EQ(encoded(example.packet), test::documented(example.name)) << example.name;
  }
  const Bytes doorbell = encoded(Doorbell{});
  EXPECT_EQ(doorbell, test::documented("Doorbell"));
}

TEST(FastPacketTest, EveryPacketIsReadBackAsItWasWritten) {
  for (const Example& example : examples()) expect_round_trip(example.packet);
  // Each field another number, so that none is written in another's place.
  expect_round_trip(Consumer{.id = 0x01020304,
                             .depth = 0x1112,
                             .immediate_max = 0xf5,
                             .way = Way::kCma,
                             .membarrier = false,
                             .map_offset = 0x212223242000,
                             .map_size = 0x313233343536,
                             .map_address = 0x4142434445464748});
  expect_round_trip(
      Lane{.producer = 0x01020304, .slots = 0x1112, .handles = 0x1314, .bounce_size = 0x21222324});
  expect_round_trip(Map{.number = 0x01020304, .offset = 0x112233445000, .size = 0x556677889900});
  expect_round_trip(Accepted{false});
  expect_round_trip(LaneEnd{0});
  expect_round_trip(LaneEnd{~0U});
  expect_round_trip(MapEnd{0});
  expect_round_trip(MapEnd{~0U});
  expect_round_trip(File{0});
  expect_round_trip(File{~0U});
}

TEST(FastPacketTest, TheLimitsThemselvesAreWithin) {
  for (const std::uint32_t id : {1U, 0xfffeU, 0x10000U, ~0U}) {
    Consumer c = consumer();
    c.id = id;
    expect_round_trip(c);
    expect_round_trip(ConsumerEnd{id});
  }
  Consumer c = consumer();
  c.depth = 1;
  c.immediate_max = 0;
  c.map_size = 1;
  c.map_offset = 0;
  expect_round_trip(c);
  c.depth = kMaxPosted;
  c.immediate_max = kMaxImmediate;
  c.map_size = kMaxMap;
  c.map_offset = kMaxMap;
  c.map_address = ~std::uint64_t{0};
  expect_round_trip(c);
  c.way = Way::kStaged;
  c.map_size = 0;  // For immediate data alone.
  expect_round_trip(c);
  c.way = Way::kView;
  expect_round_trip(c);
  expect_round_trip(Lane{.producer = ~0U,
                         .slots = kMaxPosted,
                         .handles = kMaxPosted,
                         .bounce_size = std::uint64_t{1} << 30U});
  expect_round_trip(Lane{});
  expect_round_trip(Map{.number = ~0U, .offset = kMaxMap, .size = kMaxMap});
  expect_round_trip(Map{.number = 0, .offset = 0, .size = 1});
}

TEST(FastPacketTest, APacketCutAnywhereOrWithBytesBehindItIsRefused) {
  for (const Example& example : examples()) {
    const Bytes whole = encoded(example.packet);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(refused(cut), Errc::connection_reset) << example.name << size;
      if (size < kHeaderSize) continue;
      cut[kSizeField] = static_cast<std::byte>(size);  // As if it had been meant.
      EXPECT_EQ(refused(cut), Errc::connection_reset) << example.name << size;
    }
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_EQ(refused(longer), Errc::connection_reset) << example.name;
    longer[kSizeField] = static_cast<std::byte>(longer.size());
    EXPECT_EQ(refused(longer), Errc::connection_reset) << example.name;
  }
}

// What the encoder refuses is our mistake; the same in a packet is the peer's. The packet is
// made from one that is sound, by writing over its `size` bytes at `at`.
struct Wrong {
  const char* what;
  FastPacket packet;
  std::size_t at;
  std::size_t size;
  std::uint64_t value;
};
struct FastPacketLimitTest : testing::TestWithParam<Wrong> {};

TEST_P(FastPacketLimitTest, IsNeitherReadNorWritten) {
  const Wrong& wrong = GetParam();
  FastPacket sound = consumer();
  for (const Example& example : examples()) {
    if (example.packet.index() == wrong.packet.index()) sound = example.packet;
  }
  EXPECT_TRUE(encoded(wrong.packet).empty());
  Bytes bytes = encoded(sound);
  ASSERT_LE(wrong.at + wrong.size, bytes.size());
  for (std::size_t n = 0; n < wrong.size; ++n) {
    bytes[wrong.at + n] = static_cast<std::byte>(wrong.value >> (8 * n));
  }
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
}

template <class Packet, class Field>
FastPacket with(Packet packet, Field Packet::* field, std::type_identity_t<Field> value) {
  packet.*field = value;
  return packet;
}

constexpr std::uint64_t kAbove = kMaxMap + kPage;
constexpr std::uint64_t kBounceAbove = (std::uint64_t{1} << 30U) + 1;

INSTANTIATE_TEST_SUITE_P(
    Numbers, FastPacketLimitTest,
    testing::Values(
        Wrong{"IdZero", with(consumer(), &Consumer::id, 0), 12, 4, 0},
        Wrong{"IdReserved", with(consumer(), &Consumer::id, 0xffff), 12, 4, 0xffff},
        Wrong{"DepthZero", with(consumer(), &Consumer::depth, 0), 16, 4, 0},
        Wrong{"DepthAbove", with(consumer(), &Consumer::depth, 8193), 16, 4, 8193},
        Wrong{"DepthFarAbove", with(consumer(), &Consumer::depth, ~0U), 16, 4, ~0U},
        Wrong{"ImmediateAbove", with(consumer(), &Consumer::immediate_max, 257), 20, 4, 257},
        Wrong{"MapOffsetOdd", with(consumer(), &Consumer::map_offset, 1), 28, 8, 1},
        Wrong{"MapOffsetNoPage", with(consumer(), &Consumer::map_offset, 6144), 28, 8, 6144},
        Wrong{"MapOffsetAbove", with(consumer(), &Consumer::map_offset, kAbove), 28, 8, kAbove},
        Wrong{"MapSizeAbove", with(consumer(), &Consumer::map_size, kMaxMap + 1), 36, 8,
              kMaxMap + 1},
        Wrong{"MappedWithoutMap", with(consumer(), &Consumer::map_size, 0), 36, 8, 0},
        Wrong{"EndOfIdZero", ConsumerEnd{0}, 12, 4, 0},
        Wrong{"EndOfIdReserved", ConsumerEnd{0xffff}, 12, 4, 0xffff},
        Wrong{"SlotsAbove", with(lane(), &Lane::slots, 8193), 16, 4, 8193},
        Wrong{"HandlesAbove", with(lane(), &Lane::handles, 8193), 20, 4, 8193},
        Wrong{"BounceAbove", with(lane(), &Lane::bounce_size, kBounceAbove), 24, 8, kBounceAbove},
        Wrong{"MapEmpty", with(map(), &Map::size, 0), 24, 8, 0},
        Wrong{"MapAbove", with(map(), &Map::size, kMaxMap + 1), 24, 8, kMaxMap + 1},
        Wrong{"MapOff", with(map(), &Map::offset, 100), 16, 8, 100},
        Wrong{"MapOffsetTooFar", with(map(), &Map::offset, kAbove), 16, 8, kAbove}),
    [](const auto& tested) { return tested.param.what; });

TEST(FastPacketTest, UnknownFlagsAndWaysAreRefused) {
  for (unsigned bit = 1; bit < 32; ++bit) {
    for (const FastPacket& packet : {FastPacket(consumer()), FastPacket(Accepted{true})}) {
      Bytes bytes = encoded(packet);
      const std::size_t flags = std::holds_alternative<Accepted>(packet) ? 12 : 24;
      bytes[flags + bit / 8] |= static_cast<std::byte>(1U << bit % 8);
      EXPECT_EQ(refused(bytes), Errc::connection_reset) << bit;
    }
  }
  Bytes bytes = encoded(consumer());
  for (const unsigned way : {0U, 4U, 5U, 255U}) {  // 4 has no memory map.
    bytes.back() = static_cast<std::byte>(way);
    EXPECT_EQ(refused(bytes), Errc::connection_reset) << way;
  }
}

TEST(FastPacketTest, PacketsOfTheHandshakeAreOfAnotherKind) {
  Bytes bytes = encoded(Doorbell{});
  EXPECT_FALSE(is_fast(bytes));
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
  for (const Example& example : examples()) {
    EXPECT_TRUE(is_fast(encoded(example.packet))) << example.name;
    EXPECT_FALSE(decode(encoded(example.packet))) << example.name;
  }
  EXPECT_FALSE(is_fast({}));
  bytes.resize(kHeaderSize - 1);
  EXPECT_FALSE(is_fast(bytes));
  // Nonsense of a kind that is ours: decode_fast() says so.
  Bytes nonsense = encoded(ConsumerEnd{2});
  nonsense[12] = std::byte{0};
  EXPECT_TRUE(is_fast(nonsense));
}

TEST(FastPacketTest, ABufferThatIsTooSmallIsNotWrittenPast) {
  for (const Example& example : examples()) {
    const std::size_t whole = encoded(example.packet).size();
    for (std::size_t size = 0; size < whole; ++size) {
      Bytes small(size + 1, std::byte{0x5a});
      EXPECT_EQ(encode(example.packet, std::span(small).first(size)), 0U);
      EXPECT_EQ(small.back(), std::byte{0x5a});
    }
  }
}

}  // namespace
}  // namespace comch::wire
