// The contract of the remote handshake's packets: what is read back, what is refused, and that the
// examples in FORMAT.md are what the encoder writes.
#include "wire/remote_handshake.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/encoded.h"
#include "unit/wire/format_example.h"

namespace comch::wire {
namespace {

using Bytes = std::vector<std::byte>;

Nonce nonce(std::uint8_t first) {
  Nonce bytes;
  for (std::byte& byte : bytes) byte = std::byte{first++};
  return bytes;
}

// The examples of FORMAT.md.
Call call() { return {.name_hash = 0x3000e56026044164}; }

RemoteHello hello() {
  return {.max_message_size = 4080,
          .recv_queue_size = 64,
          .window = 64,
          .process = {.uid = 1000, .gid = 100, .pid = 4242},
          .acting = std::nullopt,
          .nonce = nonce(0xa0),
          .name = "echo"};
}

RemoteWelcome welcome() {
  return {.recv_queue_size = 128,
          .window = 128,
          .connection_id = 0x1122334455667788,
          .process = {.uid = 1, .gid = 2, .pid = 3}};
}

template <class T>
void expect_round_trip(const T& packet) {
  const Bytes bytes = encoded(packet);
  ASSERT_FALSE(bytes.empty());
  const Result<RemotePacket> back = decode_remote(bytes);
  ASSERT_TRUE(back) << back.error().what;
  ASSERT_TRUE(std::holds_alternative<T>(*back));
  EXPECT_EQ(std::get<T>(*back), packet);
}

Errc refused(const Bytes& bytes) {
  const Result<RemotePacket> packet = decode_remote(bytes);
  return packet ? Errc::skipped : packet.error().code;
}

TEST(RemoteHandshakeTest, EveryPacketIsReadBackAsItWasWritten) {
  expect_round_trip(hello());
  RemoteHello acting = hello();
  acting.acting = Identity{7, 8};
  expect_round_trip(acting);
  expect_round_trip(Challenge{.nonce = nonce(1), .proof = nonce(2)});
  expect_round_trip(Proof{.proof = nonce(3)});
  expect_round_trip(welcome());
  expect_round_trip(Refusal{.code = Errc::full, .reason = "full"});
}

TEST(RemoteHandshakeTest, PrivateDataIsReadFromAFieldFilledUpWithZeros) {
  Bytes field = encoded(call());
  EXPECT_LE(field.size(), 56U);
  field.resize(56);
  ASSERT_TRUE(decode_call(field));
  EXPECT_EQ(*decode_call(field), call());
  field = encoded(Answer{.wants_key = true});
  field.resize(196);
  ASSERT_TRUE(decode_answer(field));
  EXPECT_TRUE(decode_answer(field)->wants_key);
  field = encoded(Refusal{.code = Errc::not_found, .reason = "another name"});
  field.resize(148);
  ASSERT_TRUE(decode_refusal(field));
  EXPECT_EQ(decode_refusal(field)->reason, "another name");
}

TEST(RemoteHandshakeTest, PrivateDataOfAWrongLengthIsRefused) {
  const Bytes whole = encoded(call());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_call(std::span(whole).first(size))) << size;
  }
  Bytes field = whole;
  field.resize(56);
  field[whole.size()] = std::byte{1};
  EXPECT_FALSE(decode_call(field)) << "something behind the packet";
  field[8] = std::byte{57};
  EXPECT_FALSE(decode_call(field)) << "longer than the field";
}

TEST(RemoteHandshakeTest, AFieldOfZerosIsNoPacket) {
  const Bytes zeros(196);
  EXPECT_FALSE(decode_call(zeros));
  EXPECT_FALSE(decode_answer(zeros));
  EXPECT_FALSE(decode_refusal(zeros));
}

TEST(RemoteHandshakeTest, APacketOfAnotherKindIsRefused) {
  EXPECT_FALSE(decode_call(encoded(Answer{})));
  EXPECT_FALSE(decode_answer(encoded(call())));
  EXPECT_FALSE(decode_refusal(encoded(call())));
  EXPECT_EQ(refused(encoded(call())), Errc::connection_reset);
  EXPECT_EQ(refused(encoded(Goodbye{})), Errc::connection_reset);
}

TEST(RemoteHandshakeTest, EveryPacketCutShortOrTooLongIsRefused) {
  for (const Bytes& whole : {encoded(hello()), encoded(Challenge{}), encoded(Proof{}),
                             encoded(welcome()), encoded(Refusal{Errc::full, "x"})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(refused(cut), Errc::connection_reset);
    }
    Bytes longer = whole;
    longer.push_back(std::byte{});
    EXPECT_EQ(refused(longer), Errc::connection_reset);
  }
}

TEST(RemoteHandshakeTest, FieldsOutsideTheirLimitsAreNeitherWrittenNorRead) {
  for (auto change :
       {+[](RemoteHello& h) { h.max_message_size = 0; },
        +[](RemoteHello& h) { h.max_message_size = kMaxMessage + 1; },
        +[](RemoteHello& h) { h.recv_queue_size = 0; }, +[](RemoteHello& h) { h.window = 0; },
        +[](RemoteHello& h) { h.window = kMaxWindow + 1; }, +[](RemoteHello& h) { h.name = ""; },
        +[](RemoteHello& h) { h.name = std::string(kMaxName + 1, 'x'); },
        +[](RemoteHello& h) { h.name = std::string("a\0b", 3); }}) {
    RemoteHello bad = hello();
    change(bad);
    EXPECT_TRUE(encoded(bad).empty());
  }
  Bytes bytes = encoded(hello());
  bytes[kHeaderSize + 8] = std::byte{0};  // The window.
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
  bytes = encoded(hello());
  bytes[kHeaderSize + 24] = std::byte{2};  // A flag of no meaning.
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
  bytes = encoded(hello());
  bytes[kHeaderSize + 28] = std::byte{2};  // An identity that is not declared.
  EXPECT_EQ(refused(bytes), Errc::connection_reset);
}

TEST(RemoteHandshakeTest, TheVersionIsOneThatBothSpeak) {
  EXPECT_EQ(choose_version(Call{.min_version = 1, .max_version = 9}).value(), 1);
  EXPECT_EQ(choose_version(Call{.min_version = 2, .max_version = 9}).error().code,
            Errc::unsupported_version);
  EXPECT_TRUE(encoded(Call{.min_version = 0}).empty());
  EXPECT_TRUE(encoded(Call{.min_version = 2, .max_version = 1}).empty());
  EXPECT_EQ(decode_answer(encoded(Answer{.version = 2})).error().code, Errc::unsupported_version);
}

TEST(RemoteHandshakeTest, TheExamplesOfTheDocumentAreWhatIsWritten) {
  EXPECT_EQ(test::documented("Call"), encoded(call()));
  EXPECT_EQ(test::documented("RemoteHello"), encoded(hello()));
}

// What is accepted is, byte for byte, what a correct peer writes.
template <class Packet>
void expect_sound(const Result<Packet>& packet, const Bytes& bytes) {
  if (!packet) {
    EXPECT_TRUE(packet.error().code == Errc::connection_reset ||
                packet.error().code == Errc::unsupported_version);
    return;
  }
  Bytes again = encoded(*packet);
  again.resize(bytes.size());  // In private data zeros are behind it.
  EXPECT_EQ(again, bytes);
}

TEST(RemoteHandshakeTest, OfPacketsWithBytesChangedOnlyThoseOfCorrectPeersAreAccepted) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::vector<Bytes> sound{encoded(hello()),
                                 encoded(Challenge{}),
                                 encoded(Proof{}),
                                 encoded(welcome()),
                                 encoded(call()),
                                 encoded(Answer{.wants_key = true}),
                                 encoded(Refusal{Errc::full, "full"})};
  for (int n = 0; n < 20'000 && !testing::Test::HasFailure(); ++n) {
    Bytes bytes = sound[random() % sound.size()];
    if (random() % 2 == 0) bytes.resize(random() % 200);
    for (std::uint64_t changes = random() % 4; changes > 0 && !bytes.empty(); --changes) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    expect_sound(decode_call(bytes), bytes);
    expect_sound(decode_answer(bytes), bytes);
    expect_sound(decode_refusal(bytes), bytes);
    const Result<RemotePacket> packet = decode_remote(bytes);
    if (packet) {
      std::visit([&](const auto& body) { EXPECT_EQ(encoded(body), bytes); }, *packet);
    }
  }
}

}  // namespace
}  // namespace comch::wire
