// Sender: what it keeps of consumers that come and go.
#include "dpa/sender.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "unit/msgq/parts.h"

namespace comch::dpa {
namespace {

using msgq::CountingDoorbell;
using msgq::Hub;
using msgq::Receiver;

struct SenderTest : testing::Test {
  SenderTest() {
    sender->open(hub, std::make_shared<CountingDoorbell>());
    next();
  }

  // The consumer ends, and another one takes its seat.
  void next() {
    if (to) {
      hub->withdraw(to->seat);
      hub->leave_consumer(to->seat);
    }
    to.emplace(*hub);
  }
  Status send(const Submit& submit = {}) {
    const auto begun = sender->begin(submit, to->id, test::bytes("x"));
    if (!begun) return std::unexpected(begun.error());
    sender->finish(*begun);
    return {};
  }

  std::shared_ptr<Hub> hub = std::make_shared<Hub>(Hub::Limits{.consumers = 1, .producers = 1});
  std::unique_ptr<Sender> sender = Sender::create({ProducerId{1}, {}}, 64).value();
  std::optional<Receiver> to;
};

// A link keeps its consumer's mailbox; nobody asks for completions, and the notes never run out.
TEST_F(SenderTest, KeepsNoLinkToAConsumerThatHasGone) {
  std::vector<std::weak_ptr<msgq::Mailbox>> gone;
  for (int n = 0; n < 8; ++n) {
    ASSERT_TRUE(send());
    gone.emplace_back(hub->find(to->id));
    next();
  }
  ASSERT_TRUE(send());
  for (const auto& mailbox : gone) EXPECT_TRUE(mailbox.expired());
}

TEST_F(SenderTest, StillTellsOfWhatItSentToAConsumerThatHasGone) {
  to->inbox.post(1);
  ASSERT_TRUE(send({.report = true, .user_data = 1}));
  ASSERT_TRUE(send({.report = true, .user_data = 2}));
  next();
  ASSERT_TRUE(send());
  SendElement element;
  ASSERT_TRUE(sender->next_completion(element));
  EXPECT_EQ(element.user_data, 1U);
  EXPECT_TRUE(element.status);
  ASSERT_TRUE(sender->next_completion(element));
  EXPECT_EQ(element.user_data, 2U);
  EXPECT_EQ(element.status.error().code, Errc::shutdown);
  EXPECT_FALSE(sender->next_completion(element));
}

}  // namespace
}  // namespace comch::dpa
