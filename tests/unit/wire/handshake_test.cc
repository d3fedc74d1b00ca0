// The contract of the handshake's packets: what is read back, what is refused, and that the
// example in FORMAT.md is what the encoder writes.
#include "wire/handshake.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/encoded.h"
#include "unit/wire/format_example.h"

namespace comch::wire {
namespace {

using Bytes = std::vector<std::byte>;

// The example of FORMAT.md.
Hello example() {
  return {.max_message_size = 4080,
          .recv_queue_size = 64,
          .membarrier = true,
          .acting = Identity{.uid = 1000, .gid = 100},
          .representor = "0000:b1:00.0",
          .name = "echo"};
}

Welcome welcome() {
  return {.recv_queue_size = 128,
          .membarrier = true,
          .connection_id = 0x1122334455667788,
          .to_server_capacity = 262144,
          .to_client_capacity = 4096};
}

Errc refused(const Bytes& bytes) {
  const Result<Packet> packet = decode(bytes);
  return packet ? Errc::skipped : packet.error().code;
}

template <class T>
void expect_round_trip(const T& packet) {
  const Bytes bytes = encoded(packet);
  ASSERT_FALSE(bytes.empty());
  const Result<Packet> back = decode(bytes);
  ASSERT_TRUE(back) << back.error().what;
  ASSERT_TRUE(std::holds_alternative<T>(*back));
  EXPECT_EQ(std::get<T>(*back), packet);
}

TEST(HandshakeTest, EveryPacketIsReadBackAsItWasWritten) {
  expect_round_trip(example());
  expect_round_trip(welcome());
  Welcome stamped = welcome();
  stamped.stamped = true;
  expect_round_trip(stamped);
  expect_round_trip(Refusal{.code = Errc::authentication, .reason = "not on the list"});
  expect_round_trip(Refusal{.code = Errc::unsupported_version, .reason = ""});
  expect_round_trip(Doorbell{});
  expect_round_trip(Goodbye{.orderly = true});
  expect_round_trip(Goodbye{.orderly = false});
}

TEST(HandshakeTest, TheLargestPacketsFitIntoKMaxPacket) {
  Hello hello = example();
  hello.representor.assign(kMaxRepresentor, 'r');
  hello.name.assign(kMaxName, 'n');
  expect_round_trip(hello);
  expect_round_trip(Refusal{.code = Errc::unknown, .reason = std::string(kMaxReason, 'x')});
}

TEST(HandshakeTest, TheExampleOfTheFormatIsWhatTheEncoderWrites) {
  EXPECT_EQ(test::documented("Hello"), encoded(example()));
}

TEST(HandshakeTest, APacketCutAnywhereOrWithBytesBehindItIsRefused) {
  for (const Bytes& whole : {encoded(example()), encoded(welcome()), encoded(Goodbye{}),
                             encoded(Refusal{.code = Errc::full, .reason = "full"})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(refused(cut), Errc::connection_reset);
      if (size < 12) continue;
      cut[8] = static_cast<std::byte>(size);  // As if it had been meant.
      cut[9] = static_cast<std::byte>(size >> 8U);
      EXPECT_EQ(refused(cut), Errc::connection_reset) << size;
    }
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_EQ(refused(longer), Errc::connection_reset);
    longer[8] = static_cast<std::byte>(longer.size());
    EXPECT_EQ(refused(longer), Errc::connection_reset);
  }
  EXPECT_EQ(refused(Bytes(kMaxPacket + 1)), Errc::connection_reset);
}

TEST(HandshakeTest, AnotherVersionIsToldApartFromNonsense) {
  Bytes bytes = encoded(example());
  bytes[4] = std::byte{2};
  EXPECT_EQ(refused(bytes), Errc::unsupported_version);
  bytes = encoded(example());
  bytes[6] = std::byte{9};
  EXPECT_EQ(refused(bytes), Errc::connection_reset) << "an unknown kind";
  bytes = encoded(example());
  bytes[0] = std::byte{'X'};
  EXPECT_EQ(refused(bytes), Errc::connection_reset) << "not our magic";
  Welcome later = welcome();
  later.version = kNewestVersion + 1;
  EXPECT_EQ(refused(encoded(later)), Errc::unsupported_version) << "not what we offered";
}

TEST(HandshakeTest, InVersionOneNobodyAsksForStamps) {
  Welcome old = welcome();
  old.version = 1;
  expect_round_trip(old);
  old.stamped = true;
  EXPECT_TRUE(encoded(old).empty());
  old.version = 2;
  Bytes bytes = encoded(old);
  bytes[12] = std::byte{1};
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
}

TEST(HandshakeTest, TheVersionSpokenIsOneOfBoth) {
  Hello hello = example();
  EXPECT_EQ(choose_version(hello).value(), kNewestVersion);
  hello.max_version = 9;
  EXPECT_EQ(choose_version(hello).value(), kNewestVersion);
  hello.max_version = 1;
  EXPECT_EQ(choose_version(hello).value(), 1) << "an old client is served";
  hello.max_version = hello.min_version = kNewestVersion + 1;
  EXPECT_EQ(choose_version(hello).error().code, Errc::unsupported_version);
}

// What the encoder refuses is our mistake; the same in a packet is the peer's.
struct Spoiled {
  const char* what;
  void (*spoil)(Hello&);
};
struct HandshakeHelloTest : testing::TestWithParam<Spoiled> {};

TEST_P(HandshakeHelloTest, IsNotWrittenOutsideItsLimits) {
  Hello hello = example();
  GetParam().spoil(hello);
  EXPECT_TRUE(encoded(hello).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Fields, HandshakeHelloTest,
    testing::Values(Spoiled{"VersionZero", [](Hello& h) { h.min_version = 0; }},
                    Spoiled{"VersionsSwapped", [](Hello& h) { h.min_version = 9; }},
                    Spoiled{"NoMessageSize", [](Hello& h) { h.max_message_size = 0; }},
                    Spoiled{"MessageTooLarge", [](Hello& h) { h.max_message_size = 65536; }},
                    Spoiled{"NoQueue", [](Hello& h) { h.recv_queue_size = 0; }},
                    Spoiled{"QueueTooLong", [](Hello& h) { h.recv_queue_size = 8193; }},
                    Spoiled{"NameEmpty", [](Hello& h) { h.name.clear(); }},
                    Spoiled{"NameTooLong", [](Hello& h) { h.name.assign(120, 'n'); }},
                    Spoiled{"NameWithNul", [](Hello& h) { h.name.assign(3, '\0'); }},
                    Spoiled{"RepresentorTooLong", [](Hello& h) { h.representor.assign(17, 'r'); }}),
    [](const auto& tested) { return tested.param.what; });

// One byte of a packet changed, and why it must then be refused.
struct Patch {
  const char* what;
  Bytes packet;
  std::size_t at;
  int value;
};
struct HandshakePatchTest : testing::TestWithParam<Patch> {};

TEST_P(HandshakePatchTest, IsRefused) {
  Bytes bytes = GetParam().packet;
  ASSERT_LT(GetParam().at, bytes.size());
  bytes[GetParam().at] = static_cast<std::byte>(GetParam().value);
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
}

Bytes without_identity() {
  Hello hello = example();
  hello.acting.reset();
  return encoded(hello);
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, HandshakePatchTest,
    testing::Values(
        Patch{"HelloMinVersionZero", encoded(example()), 12, 0},
        Patch{"HelloMinAboveMax", encoded(example()), 12, kNewestVersion + 1},
        Patch{"HelloMessageTooLarge", encoded(example()), 18, 1},
        Patch{"HelloQueueTooLong", encoded(example()), 22, 1},
        Patch{"HelloUnknownFlag", encoded(example()), 24, 7},
        Patch{"HelloIdentityWithoutFlag", without_identity(), 28, 1},
        Patch{"HelloRepresentorTooLong", encoded(example()), 36, 17},
        Patch{"HelloNulInName", encoded(example()), 51, 0},
        Patch{"HelloNameEmpty", encoded(example()), 49, 0},
        Patch{"WelcomeVersionZero", encoded(welcome()), 12, 0},
        Patch{"WelcomeReserved", encoded(welcome()), 14, 1},
        Patch{"WelcomeQueueZero", encoded(welcome()), 16, 0},
        Patch{"WelcomeUnknownFlag", encoded(welcome()), 20, 4},
        Patch{"WelcomeRingNotAPower", encoded(welcome()), 32, 1},
        Patch{"WelcomeRingTooSmall", encoded(welcome()), 37, 8},
        Patch{"RefusalWithoutCode", encoded(Refusal{.code = Errc::full, .reason = ""}), 12, 0},
        Patch{"RefusalUnknownCode", encoded(Refusal{.code = Errc::full, .reason = ""}), 12, 31},
        Patch{"GoodbyeNeitherWay", encoded(Goodbye{}), 12, 2}),
    [](const auto& tested) { return tested.param.what; });

TEST(HandshakeTest, WelcomeAndRefusalOutsideTheirLimitsAreNotWritten) {
  Welcome odd = welcome();
  odd.to_server_capacity = 5000;
  EXPECT_TRUE(encoded(odd).empty());
  odd = welcome();
  odd.to_client_capacity = 1U << 31U;
  EXPECT_TRUE(encoded(odd).empty());
  odd = welcome();
  odd.recv_queue_size = 0;
  EXPECT_TRUE(encoded(odd).empty());
  EXPECT_TRUE(encoded(Refusal{.code = Errc::full, .reason = std::string(256, 'x')}).empty());
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a peer may write.
  EXPECT_TRUE(encoded(Refusal{.code = static_cast<Errc>(0), .reason = ""}).empty());
}

TEST(HandshakeTest, ABufferThatIsTooSmallIsNotWrittenPast) {
  const std::size_t whole = encoded(example()).size();
  for (std::size_t size = 0; size < whole; ++size) {
    Bytes small(size + 1, std::byte{0x5a});
    EXPECT_EQ(encode(example(), std::span(small).first(size)), 0U);
    EXPECT_EQ(small.back(), std::byte{0x5a});
  }
}

TEST(HandshakeTest, ThePeersTextIsShownWithoutControlCharacters) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("back\\slash"), "back\\\\slash");
  EXPECT_EQ(printable("\xc3\xa9\x7f"), "\\xc3\\xa9\\x7f");
}

}  // namespace
}  // namespace comch::wire
