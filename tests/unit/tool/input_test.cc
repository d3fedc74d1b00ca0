// Input: bytes of a pipe become messages, however they arrive.
#include "tool/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tool/descriptor.h"

namespace comch::tool {
namespace {

struct InputTest : testing::Test {
  InputTest() {
    std::array<int, 2> ends;
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read_end_.reset(ends[0]);
    write_end_.reset(ends[1]);
  }

  void feed(const std::string& text) {
    ASSERT_EQ(::write(write_end_.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void end() { write_end_.reset(); }

  Input lines(std::size_t limit = 100) { return {read_end_.get(), Input::Unit::kLine, limit}; }
  Input whole(std::size_t limit = 100) { return {read_end_.get(), Input::Unit::kWhole, limit}; }

  static std::vector<std::string> take(Input& input) {
    std::vector<std::string> messages;
    while (auto message = input.next()) messages.push_back(*message);
    return messages;
  }

  using Messages = std::vector<std::string>;
  Descriptor read_end_;
  Descriptor write_end_;
};

TEST_F(InputTest, LineIsAMessageOnceItsNewlineIsThere) {
  Input input = lines();
  feed("on");
  ASSERT_TRUE(input.fill());
  EXPECT_EQ(take(input), Messages{});
  feed("e\n\ntw");
  ASSERT_TRUE(input.fill());
  EXPECT_EQ(take(input), (Messages{"one", ""}));
  EXPECT_FALSE(input.ended());
}

TEST_F(InputTest, BytesAfterTheLastNewlineAreAMessage) {
  Input input = lines();
  feed("one\ntwo");
  end();
  ASSERT_TRUE(input.fill());
  ASSERT_TRUE(input.fill());
  EXPECT_FALSE(input.ended()) << "nothing was taken yet";
  EXPECT_EQ(take(input), (Messages{"one", "two"}));
  EXPECT_TRUE(input.ended());
}

TEST_F(InputTest, NothingAfterTheLastNewlineIsNoMessage) {
  Input input = lines();
  feed("one\n");
  end();
  ASSERT_TRUE(input.fill());
  ASSERT_TRUE(input.fill());
  EXPECT_EQ(take(input), Messages{"one"});
  EXPECT_TRUE(input.ended());
}

TEST_F(InputTest, WholeInputIsOneMessageAlsoWhenEmpty) {
  Input input = whole();
  end();
  EXPECT_EQ(take(input), Messages{});
  ASSERT_TRUE(input.fill());
  EXPECT_EQ(take(input), Messages{""});
  EXPECT_TRUE(input.ended());
}

TEST_F(InputTest, LineThatGrowsAboveTheLimitIsRefusedBeforeItEnds) {
  Input input = lines(4);
  feed("1234\n1234");
  ASSERT_TRUE(input.fill());
  feed("5");
  EXPECT_FALSE(input.fill());
}

TEST_F(InputTest, WholeInputAboveTheLimitIsRefused) {
  Input input = whole(4);
  feed("12\n4");
  ASSERT_TRUE(input.fill());
  feed("5");
  EXPECT_FALSE(input.fill());
}

TEST_F(InputTest, WhatIsThereIsKnownWithoutWaiting) {
  Input input = lines();
  EXPECT_FALSE(input.readable());
  feed("a");
  EXPECT_TRUE(input.readable());
  ASSERT_TRUE(input.fill());
  EXPECT_FALSE(input.readable());
  end();
  EXPECT_TRUE(input.readable()) << "the end is";
  EXPECT_FALSE(input.ended()) << "and has not been read";
}

TEST_F(InputTest, FailureToReadIsAComplaint) {
  Input input(-1, Input::Unit::kLine, 100);
  const auto filled = input.fill();
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().text.find("cannot read the input"), 0u);
}

}  // namespace
}  // namespace comch::tool
