// Mailbox: who fills which receive, and what becomes of the rest when it closes.
#include "msgq/mailbox.h"

#include <gtest/gtest.h>

#include "msgq/link.h"
#include "unit/msgq/parts.h"

namespace comch::msgq {
namespace {

using enum Mailbox::Hold;

struct MailboxTest : testing::Test {
  // Its consumer takes over who was introduced, as one does at its end.
  ~MailboxTest() override {
    std::vector<std::shared_ptr<Link>> links;
    mailbox->adopt(links);
  }
  std::shared_ptr<Link> make_link() {
    return Link::create(ProducerId{1}, mailbox, std::make_shared<CountingDoorbell>(), 4).value();
  }
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>(
      Mailbox::Terms{kFirst, 4, kMaxImmediate}, std::make_shared<CountingDoorbell>());
};

TEST_F(MailboxTest, AsksToTryAgainWhileNothingIsPosted) {
  EXPECT_EQ(mailbox->claim(kNo).error().code, Errc::again);
  EXPECT_TRUE(mailbox->is_empty());
  mailbox->post(1);
  EXPECT_FALSE(mailbox->is_empty());
  EXPECT_EQ(mailbox->claim(kNo).value(), 0U);
  EXPECT_EQ(mailbox->claim(kNo).error().code, Errc::again);
}

TEST_F(MailboxTest, GivesEachReceiveToOneMessage) {
  mailbox->post(3);
  for (std::uint64_t number = 0; number < 3; ++number) {
    EXPECT_EQ(mailbox->claim(kNo).value(), number);
  }
  EXPECT_TRUE(mailbox->is_empty());
}

TEST_F(MailboxTest, DeliversAHeldMessageWhenItsReceiveIsPosted) {
  const std::uint64_t first = mailbox->claim(kYes).value();
  const std::uint64_t second = mailbox->claim(kYes).value();
  EXPECT_FALSE(mailbox->is_delivered(first));
  mailbox->post(1);
  EXPECT_TRUE(mailbox->is_delivered(first));
  EXPECT_FALSE(mailbox->is_delivered(second));
  EXPECT_TRUE(mailbox->is_empty()) << "the one receive is spoken for";
}

TEST_F(MailboxTest, AcceptsNothingOnceItIsClosed) {
  mailbox->post(1);
  EXPECT_EQ(mailbox->close(), 0U);
  EXPECT_TRUE(mailbox->closed());
  EXPECT_TRUE(mailbox->is_empty());
  EXPECT_EQ(mailbox->claim(kNo).error().code, Errc::not_found);
  EXPECT_EQ(mailbox->claim(kYes).error().code, Errc::not_found);
}

TEST_F(MailboxTest, LosesWhatWasHeldWhenItClosesAndNothingElse) {
  const std::uint64_t first = mailbox->claim(kYes).value();
  const std::uint64_t second = mailbox->claim(kYes).value();
  mailbox->post(1);
  EXPECT_FALSE(mailbox->is_lost(second)) << "it may still be posted for";
  EXPECT_EQ(mailbox->close(), 2U);
  EXPECT_FALSE(mailbox->is_lost(first));
  EXPECT_TRUE(mailbox->is_lost(second));
}

TEST_F(MailboxTest, TellsTheConsumerOfEachProducerOnce) {
  std::vector<std::shared_ptr<Link>> links;
  mailbox->adopt(links);
  EXPECT_TRUE(links.empty());
  mailbox->introduce(make_link());
  mailbox->introduce(make_link());
  mailbox->adopt(links);
  EXPECT_EQ(links.size(), 2U);
  mailbox->adopt(links);
  EXPECT_EQ(links.size(), 2U);
}

TEST_F(MailboxTest, ForgetsAProducerThatCameAndWentUnseen) {
  const std::shared_ptr<Link> gone = make_link();
  mailbox->introduce(gone);
  gone->end();
  mailbox->introduce(make_link());
  EXPECT_EQ(gone.use_count(), 1);
}

TEST_F(MailboxTest, KeepsNoProducerOnceItIsClosed) {
  mailbox->close();
  const std::shared_ptr<Link> late = make_link();
  mailbox->introduce(late);
  EXPECT_EQ(late.use_count(), 1) << "each would keep the other for ever";
}

}  // namespace
}  // namespace comch::msgq
