// The contract of the packets about consumers and producers on other machines: what is read back,
// what is refused, and that the examples in FORMAT.md are what the encoder writes.
#include "wire/rdma_packet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/encoded.h"
#include "unit/wire/format_example.h"

namespace comch::wire {
namespace {

using Bytes = std::vector<std::byte>;

// The examples of FORMAT.md.
RdmaConsumer consumer() {
  return {.id = 2,
          .depth = 64,
          .immediate_max = 32,
          .line = {0x11, 0xabcdef},
          .map_size = 1U << 20U,
          .map = {0x7ffff7a00000, 0x1002}};
}
RdmaAccepted accepted() {
  return {.id = 2, .line = {0x12, 0x123456}, .board = {0x7ffff7b00000, 0x2002}};
}
RdmaLane lane() { return {.consumer = 2, .number = 1, .pair = {0x13, 7}}; }
RdmaLaneReady ready() {
  return {.consumer = 2, .number = 1, .pair = {0x14, 8}, .lane = {0x7ffff7c00000, 0x1004}};
}
RdmaRefused refused() { return {.consumer = 2, .lane = 1, .code = Errc::no_memory}; }

struct Example {
  const char* name;
  RdmaPacket packet;
};
std::vector<Example> examples() {
  return {{"RdmaConsumer", consumer()},
          {"RdmaAccepted", accepted()},
          {"RdmaLane", lane()},
          {"RdmaLaneReady", ready()},
          {"RdmaLaneEnd", RdmaLaneEnd{2, 1}},
          {"RdmaLaneOver", RdmaLaneOver{2, 1, 1000}},
          {"RdmaConsumerEnd", RdmaConsumerEnd{2}},
          {"RdmaConsumerDone", RdmaConsumerDone{2}},
          {"RdmaRefused", refused()}};
}

TEST(RdmaPacketTest, ReadsBackWhatWasWritten) {
  for (const Example& example : examples()) {
    const Bytes bytes = encoded(example.packet);
    ASSERT_FALSE(bytes.empty()) << example.name;
    const auto back = decode_rdma(bytes);
    ASSERT_TRUE(back) << example.name;
    EXPECT_EQ(*back, example.packet) << example.name;
  }
}

TEST(RdmaPacketTest, TheExamplesAreWhatFormatMdSays) {
  for (const Example& example : examples()) {
    EXPECT_EQ(encoded(example.packet), test::documented(example.name)) << example.name;
  }
}

TEST(RdmaPacketTest, RefusesEveryPacketThatIsCutOrLonger) {
  for (const Example& example : examples()) {
    const Bytes whole = encoded(example.packet);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(decode_rdma(std::span(whole).first(size))) << example.name << " " << size;
    }
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    longer[kSizeField] = static_cast<std::byte>(longer.size());
    EXPECT_FALSE(decode_rdma(longer)) << example.name;
  }
}

template <class Packet, class Change>
void expect_illegal(Packet packet, const Change& change) {
  change(packet);
  EXPECT_TRUE(encoded(packet).empty()) << "an encoder writes nothing that would be refused";
}

TEST(RdmaPacketTest, RefusesWhatIsBeyondItsLimits) {
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.id = 0; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.id = 0xffff; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.depth = 0; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.depth = kMaxPosted + 1; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.immediate_max = kMaxImmediate + 1; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.line.number = 1U << 24U; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.line.first_packet = 1U << 24U; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.map_size = 0; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.map_size = kMaxMap + 1; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.map.address = ~0ULL - 1024; });
  expect_illegal(consumer(), [](RdmaConsumer& c) { c.map.address = 0; });
  expect_illegal(accepted(), [](RdmaAccepted& a) { a.line.number = 0; });
  expect_illegal(accepted(), [](RdmaAccepted& a) { a.board.address = 0; });
  expect_illegal(lane(), [](RdmaLane& l) { l.number = 0; });
  expect_illegal(ready(), [](RdmaLaneReady& r) { r.lane.address = 0; });
  expect_illegal(RdmaLaneEnd{2, 1}, [](RdmaLaneEnd& e) { e.number = 0; });
  expect_illegal(RdmaLaneOver{2, 1, 3}, [](RdmaLaneOver& o) { o.consumer = 0; });
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): what a peer may write.
  expect_illegal(refused(), [](RdmaRefused& r) { r.code = static_cast<Errc>(0); });
  expect_illegal(refused(), [](RdmaRefused& r) { r.code = static_cast<Errc>(31); });
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
}

// The decoder is asked, too: a liar does not use our encoder.
TEST(RdmaPacketTest, RefusesAnyFieldSetToWhatItMayNotBe) {
  Bytes bytes = encoded(consumer());
  std::fill_n(bytes.begin() + 12, 4, std::byte{0});  // The id.
  EXPECT_EQ(decode_rdma(bytes).error().code, Errc::connection_reset);
  bytes = encoded(lane());
  bytes[23] = std::byte{1};  // The highest byte of the queue pair's number.
  EXPECT_EQ(decode_rdma(bytes).error().code, Errc::connection_reset);
}

TEST(RdmaPacketTest, RefusesPacketsOfOtherKinds) {
  const Bytes bytes = encoded(FastPacket(ConsumerEnd{2}));
  EXPECT_EQ(decode_rdma(bytes).error().code, Errc::connection_reset);
  EXPECT_FALSE(is_fast(encoded(consumer())));
}

}  // namespace
}  // namespace comch::wire
