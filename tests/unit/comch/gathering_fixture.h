// GatheringTest: a producer whose tasks are gathered, for the tests of one alone and of several.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "unit/comch/fast_pair.h"

namespace comch::test {

struct GatheringTest : FastPair {
  static constexpr std::size_t kRoom = 64;

  // Of 16 posted buffers at most, so that four messages go together.
  Consumer& posted(std::uint32_t count = 15) {
    Consumer& to = FastPair::consumer(there, {.depth = 16});
    post_rooms(to, there, count, kRoom);
    return to;
  }
  // Which has sent already: the first message to a consumer goes by itself.
  Producer& producer_to(Consumer& to) {
    Producer& from = producer();
    post(to, there.room(8192, kRoom));
    task(from, to.id(), "0").submit().value();
    EXPECT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
    texts.clear();
    sent.clear();
    return from;
  }
  ProducerTask& task(Producer& from, ConsumerId to, std::string_view text) {
    return *from.allocate_send(here.data(kRoom * written++, text), {}, to).value();
  }
  ProducerTask& more(Producer& from, ConsumerId to, std::string_view text) {
    ProducerTask& made = task(from, to, text);
    EXPECT_TRUE(made.try_submit_more());
    return made;
  }
  // A task that was not accepted.
  static void give_up(ProducerTask& refused) {
    if (refused.buffer() != nullptr) {
      std::ignore = const_cast<Buffer*>(refused.buffer())->drop_reference();
    }
    refused.free().value();
  }
  bool arrive(const std::vector<std::string>& expected) {
    return run_until([&] { return texts.size() >= expected.size(); }) && texts == expected;
  }

  std::size_t written = 0;
};

}  // namespace comch::test
