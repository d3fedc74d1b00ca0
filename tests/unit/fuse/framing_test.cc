// Tests of fuse/framing.h: what is a frame, what is none, and what is not yet one.
#include "framing.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/bytes.h"

namespace comch::fuse {
namespace {

using test::bytes;

constexpr std::size_t kMax = 4080;

std::string text(std::span<const std::byte> message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

TEST(FramingTest, TakesOneFrameOffTheFront) {
  const Frame frame = next_frame(bytes("5\nhello3\nabc"), kMax);
  ASSERT_EQ(frame.kind, Frame::Kind::kWhole);
  EXPECT_EQ(frame.size, 7U);
  EXPECT_EQ(text(frame.message), "hello");
}

TEST(FramingTest, CarriesAnEmptyMessage) {
  const Frame frame = next_frame(bytes("0\n"), kMax);
  ASSERT_EQ(frame.kind, Frame::Kind::kWhole);
  EXPECT_EQ(frame.size, 2U);
  EXPECT_TRUE(frame.message.empty());
}

TEST(FramingTest, MessageMayHoldNewlinesDigitsAndNul) {
  const std::string input("6\n1\n2\0x\n", 8);
  const Frame frame = next_frame(bytes(input), kMax);
  ASSERT_EQ(frame.kind, Frame::Kind::kWhole);
  EXPECT_EQ(text(frame.message), input.substr(2));
}

TEST(FramingTest, SaysHowMuchIsMissing) {
  EXPECT_EQ(next_frame(bytes(""), kMax).kind, Frame::Kind::kIncomplete);
  EXPECT_EQ(next_frame(bytes("12"), kMax).size, 1U);  // The newline at least.
  const Frame body = next_frame(bytes("12\nhello"), kMax);
  EXPECT_EQ(body.kind, Frame::Kind::kIncomplete);
  EXPECT_EQ(body.size, 7U);
}

TEST(FramingTest, RefusesWhatDoesNotBeginWithALength) {
  for (const char* input : {"\n", "a", "-1\nx", " 1\nx", "1 \nx", "0x1\na", "hello 5\n"}) {
    EXPECT_EQ(next_frame(bytes(input), kMax).kind, Frame::Kind::kMalformed) << input;
  }
}

TEST(FramingTest, RefusesALengthOfTooManyDigitsBeforeItsNewlineCame) {
  EXPECT_EQ(next_frame(bytes("0000000000"), kMax).kind, Frame::Kind::kIncomplete);
  EXPECT_EQ(next_frame(bytes("00000000000"), kMax).kind, Frame::Kind::kMalformed);
}

TEST(FramingTest, NamesAMessageThatIsTooLongByItsLengthAlone) {
  EXPECT_EQ(next_frame(bytes("4081\n"), kMax).kind, Frame::Kind::kTooLong);
  EXPECT_EQ(next_frame(bytes("9999999999\n"), kMax).kind, Frame::Kind::kTooLong);
  EXPECT_EQ(next_frame(bytes("4080\n"), kMax).kind, Frame::Kind::kIncomplete);
}

TEST(FramingTest, HeaderOfAServersFrameNamesTheConnection) {
  EXPECT_EQ(frame_header("", 12), "12\n");
  EXPECT_EQ(frame_header("conn3", 12), "conn3 12\n");
}

// Whatever was framed comes out again, wherever the stream was cut.
TEST(FramingTest, EveryFrameSurvivesEveryCut) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::string> sent;
  std::string stream;
  for (int n = 0; n < 200; ++n) {
    std::string message(random() % 40, '\0');
    for (char& c : message) c = static_cast<char>(random());
    stream += frame_header("", message.size()) + message;
    sent.push_back(std::move(message));
  }
  std::vector<std::string> received;
  std::string held;
  while (!stream.empty()) {
    const std::size_t cut = 1 + random() % 17;
    held += stream.substr(0, cut);
    stream.erase(0, cut);
    while (true) {
      const Frame frame = next_frame(bytes(held), kMax);
      ASSERT_NE(frame.kind, Frame::Kind::kMalformed);
      if (frame.kind != Frame::Kind::kWhole) break;
      received.push_back(text(frame.message));
      held.erase(0, frame.size);
    }
  }
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace comch::fuse
