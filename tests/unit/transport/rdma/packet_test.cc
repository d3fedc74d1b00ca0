// Packet: headers, and what is none.
#include "transport/rdma/packet.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "unit/wire/format_example.h"

namespace comch::transport::rdma {
namespace {

TEST(RdmaPacketTest, AHeaderIsReadBackAsItWasWritten) {
  std::array<std::byte, kPacketHeader> bytes;
  write({.kind = PacketKind::kGoodbye, .freed = {1, 0x01020304, 3}}, bytes);
  const auto header = read_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, PacketKind::kGoodbye);
  EXPECT_EQ(header->freed[1], 0x01020304U);
  EXPECT_EQ(bytes[8], std::byte{0x04}) << "little-endian";
}

TEST(RdmaPacketTest, WhatIsShortOrUnknownOrReservedIsNoHeader) {
  std::array<std::byte, kPacketHeader> bytes;
  write({}, bytes);
  for (std::size_t size = 0; size < kPacketHeader; ++size) {
    EXPECT_FALSE(read_header(std::span(bytes).first(size)));
  }
  for (const unsigned kind : {0U, 6U, 255U}) {
    bytes[0] = static_cast<std::byte>(kind);
    EXPECT_FALSE(read_header(bytes)) << kind;
  }
  for (const std::size_t at : {1U, 2U, 3U}) {
    write({}, bytes);
    bytes[at] = std::byte{1};
    EXPECT_FALSE(read_header(bytes)) << at;
  }
}

TEST(RdmaPacketTest, OnlyMessagesAndLettersHaveClassesOfTheirOwn) {
  EXPECT_EQ(class_of(PacketKind::kMessage), PacketClass::kMessages);
  EXPECT_EQ(class_of(PacketKind::kLetter), PacketClass::kLetters);
  for (const PacketKind kind :
       {PacketKind::kCredit, PacketKind::kHandshake, PacketKind::kGoodbye}) {
    EXPECT_EQ(class_of(kind), PacketClass::kControl);
  }
}

TEST(RdmaPacketTest, TheExampleOfTheDocumentIsWhatIsWritten) {
  constexpr std::string_view kText = "hello";
  std::vector<std::byte> packet(kPacketHeader);
  write({.kind = PacketKind::kMessage, .freed = {32, 0, 2}},
        std::span(packet).first<kPacketHeader>());
  for (const char c : kText) packet.push_back(static_cast<std::byte>(c));
  EXPECT_EQ(test::documented("Message"), packet);
}

}  // namespace
}  // namespace comch::transport::rdma
