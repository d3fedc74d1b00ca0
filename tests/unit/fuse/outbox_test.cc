// Tests of fuse/outbox.h: who may send when, and what becomes of those who wait.
#include "outbox.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comch::fuse {
namespace {

// An outbox with room for as many messages as it is told.
class CountingOutbox final : public Outbox {
 public:
  explicit CountingOutbox(EngineHost& host) : Outbox(host) {}

  Status send_first(std::span<const std::byte> message) override {
    if (room == 0) return fail(Errc::again);
    --room;
    sent.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    return {};
  }
  std::size_t max_message_size() const override { return 8; }
  std::unique_ptr<Put> begin_put() override { return nullptr; }
  const char* why_refused() const override { return "it refuses"; }
  int refusal() const override { return refused; }
  void fail_everybody(int error) { fail_all(error); }

  int room = 0;
  int refused = 0;
  int asked = 0;
  bool within_put = false;
  std::vector<std::string> sent;

 private:
  bool can_send() const override { return room > 0; }
  bool is_within_put() const override { return within_put; }
  void request_space() override { ++asked; }
};

class Waiting final : public WaitingSend {
 public:
  Waiting(CountingOutbox& outbox, std::string text, std::vector<int>& failures, Place place,
          bool promised)
      : outbox_(outbox),
        text_(std::move(text)),
        failures_(failures),
        place_(place),
        promised_(promised) {}

  bool retry() override { return outbox_.send_first(std::as_bytes(std::span(text_))).has_value(); }
  void fail(int error) override { failures_.push_back(error); }
  bool is_promised() const override { return promised_; }
  Place place() const override { return place_; }

 private:
  CountingOutbox& outbox_;
  const std::string text_;
  std::vector<int>& failures_;
  const Place place_;
  const bool promised_;
};

struct OutboxTest : testing::Test {
  Status send(std::string_view text) { return outbox.send(std::as_bytes(std::span(text))); }
  void wait(std::string text, Outbox::Place place = Outbox::Place::kLast, bool promised = false) {
    outbox.wait(std::make_unique<Waiting>(outbox, std::move(text), failures, place, promised));
  }

  std::unique_ptr<EngineHost> host = EngineHost::create().value();
  CountingOutbox outbox{*host};
  std::vector<int> failures;
};

using Strings = std::vector<std::string>;

TEST_F(OutboxTest, SendsAtOnceWhileThereIsRoom) {
  outbox.room = 1;
  EXPECT_TRUE(outbox.has_room());
  EXPECT_TRUE(send("one"));
  EXPECT_FALSE(outbox.has_room());
  EXPECT_EQ(send("two").error().code, Errc::again);
  EXPECT_EQ(outbox.sent, Strings{"one"});
}

TEST_F(OutboxTest, NobodyOvertakesThoseWhoWait) {
  wait("one");
  outbox.room = 3;
  EXPECT_FALSE(outbox.has_room());
  EXPECT_EQ(send("two").error().code, Errc::again);
  outbox.on_space();
  EXPECT_TRUE(send("two"));
  EXPECT_EQ(outbox.sent, (Strings{"one", "two"}));
}

TEST_F(OutboxTest, APutThatHasBegunComesBeforeAllOthers) {
  wait("one");
  wait("part", Outbox::Place::kFirst);
  outbox.room = 2;
  outbox.on_space();
  EXPECT_EQ(outbox.sent, (Strings{"part", "one"}));
}

TEST_F(OutboxTest, WithinAPutNothingElseGoesAlthoughThereIsRoom) {
  outbox.within_put = true;
  outbox.room = 4;
  EXPECT_FALSE(outbox.has_room());
  EXPECT_EQ(send("one").error().code, Errc::again);
  wait("one");
  EXPECT_EQ(outbox.asked, 0) << "it would be told of the room again and again";
  outbox.on_space();
  EXPECT_TRUE(outbox.sent.empty());
  wait("part", Outbox::Place::kFirst);
  EXPECT_EQ(outbox.asked, 1);
  outbox.on_space();
  EXPECT_EQ(outbox.sent, Strings{"part"});
  outbox.within_put = false;
  outbox.on_space();
  EXPECT_EQ(outbox.sent, (Strings{"part", "one"}));
}

TEST_F(OutboxTest, AMessageThatIsTooLongDoesNotWait) {
  wait("one");
  EXPECT_EQ(send("123456789").error().code, Errc::too_big);
}

TEST_F(OutboxTest, AsksForRoomUntilNobodyWaits) {
  wait("one");
  wait("two");
  const int before = outbox.asked;
  outbox.room = 1;
  outbox.on_space();
  EXPECT_EQ(outbox.asked, before + 1);
  outbox.room = 1;
  outbox.on_space();
  EXPECT_EQ(outbox.asked, before + 1);
  EXPECT_EQ(outbox.waiting(), 0U);
}

TEST_F(OutboxTest, ThoseWhoWaitHearWhyNothingCanBeSent) {
  wait("one");
  outbox.check();
  EXPECT_TRUE(failures.empty());
  outbox.refused = EPIPE;
  outbox.check();
  EXPECT_EQ(failures, std::vector<int>{EPIPE});
  EXPECT_EQ(outbox.waiting(), 0U);
}

TEST_F(OutboxTest, CancelEndsAllAndAStopOnlyThoseWhoWaitForAnAnswer) {
  wait("writer");
  wait("put", Outbox::Place::kLast, true);
  outbox.fail_writers(ENXIO);
  EXPECT_EQ(failures, std::vector<int>{ENXIO});
  EXPECT_EQ(outbox.waiting(), 1U);
  outbox.cancel();
  EXPECT_EQ(failures, (std::vector<int>{ENXIO, ECANCELED}));
}

}  // namespace
}  // namespace comch::fuse
