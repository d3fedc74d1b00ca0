// Who the two processes are: malloc'd memory is received into whatever the kernel lets them do to
// each other, and the way it took is counted.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

constexpr std::uint32_t kNobody = 65534;
const Settings kForEveryone{.queue = 16,
                            .access = AccessList{.uids = {}, .gids = {}, .everyone = true}};

void become_nobody() {
  EXPECT_EQ(::setresgid(kNobody, kNobody, kNobody), 0);
  EXPECT_EQ(::setresuid(kNobody, kNobody, kNobody), 0);
}

// To the other processes of its user: they may look into it, or not.
void be_open(bool open) { EXPECT_EQ(::prctl(PR_SET_DUMPABLE, open ? 1 : 0), 0); }

const Plan& plan() {
  static const Plan plan{{.size = 10}, {.size = 5000, .immediate = 20}, {.size = 3'000'000}};
  return plan;
}

// Both directions, of default ends; `staged` is what memory that is not shared must come to.
void exchange(Partner& side, Rooms::Kind kind) {
  const bool shared = kind == Rooms::Kind::kShared;
  Receiver receiver(side.connection(), side.engine(), plan(), {.kind = kind});
  Sender sender(side.connection(), side.engine(), plan(), {.kind = kind});
  ASSERT_TRUE(receiver.start() && sender.start());
  EXPECT_EQ(receiver->way(), shared ? DataWay::kMapped : DataWay::kStaged);
  sender.send_to({side.consumer().value()});
  EXPECT_TRUE(side.run_until([&] { return sender.done() && receiver.heard() == plan().size(); }));
  EXPECT_EQ(receiver.wrong(), 0u);
  EXPECT_EQ(sender.sent(), plan().size());
  const ProducerCounters sent = sender->counters();
  EXPECT_EQ(sent.inline_messages, 1u);
  EXPECT_EQ(sent.staged_messages, shared ? 0u : 2u);
  EXPECT_EQ(sent.mapped_messages + sent.cooperative_messages, shared ? 2u : 0u);
  EXPECT_EQ(receiver->counters().staged_messages, shared ? 0u : 2u);
  EXPECT_TRUE(side.agree("received"));
}

void exchange_both(Partner& side) {
  exchange(side, Rooms::Kind::kPrivate);
  EXPECT_TRUE(side.run_until([&] { return side.diary().consumers.empty(); }));
  EXPECT_TRUE(side.agree("again"));
  exchange(side, Rooms::Kind::kShared);
}

struct UsersTest : testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    std::filesystem::permissions(runtime.path(), std::filesystem::perms::all);
  }

  // Both processes are nobody's.
  static void as_nobodys(const std::function<void(Partner&)>& body, bool open) {
    auto both = ChildProcess::run([&] {
      become_nobody();
      be_open(open);
      as_two(body);
      return 0;
    });
    EXPECT_EQ(both.wait(Deadline(2 * patience())), Exit::with(0));
  }

  RuntimeDirectory runtime;
};

TEST_F(UsersTest, TwoProcessesOfOneUserReceiveIntoAnyMemory) { as_nobodys(exchange_both, true); }

TEST_F(UsersTest, TwoProcessesThatMayNotLookIntoEachOtherReceiveIntoAnyMemory) {
  as_nobodys(exchange_both, false);
}

TEST_F(UsersTest, ProcessesOfTwoUsersReceiveIntoAnyMemory) {
  as_two(exchange_both, become_nobody, kForEveryone);
}

TEST_F(UsersTest, AProcessInAUserNamespaceReceivesIntoAnyMemory) {
  auto able = ChildProcess::run([] { return ::unshare(CLONE_NEWUSER); });
  if (able.wait() != Exit::with(0)) GTEST_SKIP() << "this machine makes no user namespaces";
  as_two(exchange_both, [] { EXPECT_EQ(::unshare(CLONE_NEWUSER), 0); }, kForEveryone);
}

// The way is asked for, and the kernel does not let the producer go it.
TEST_F(UsersTest, ACopyThatTheKernelRefusesFailsItsTaskAndNothingElse) {
  as_two(
      [](Partner& side) {
        const Plan plan{{.size = 5000}};
        if (side.is_server()) {
          Receiver receiver(side.connection(), side.engine(), plan,
                            {.depth = 1, .way = DataWay::kCma, .kind = Rooms::Kind::kPrivate});
          ASSERT_TRUE(receiver.start());
          EXPECT_TRUE(side.agree("failed"));
          EXPECT_EQ(receiver.heard(), 0u);
          EXPECT_EQ(receiver->state(), ContextState::kRunning);
          EXPECT_EQ(receiver->posted(), 1u);
          EXPECT_TRUE(side.agree("seen"));
        } else {
          // The second needs the posted buffer that the first could not fill.
          Sender sender(side.connection(), side.engine(), plan);
          Sender second(side.connection(), side.engine(), plan);
          for (Sender* each : {&sender, &second}) {
            ASSERT_TRUE(each->start());
            each->send_to({side.consumer().value()});
            ASSERT_TRUE(side.run_until([&] { return each->failed().size() == 1; }));
            EXPECT_EQ(each->failed()[0].code, Errc::not_permitted) << describe(each->failed()[0]);
            EXPECT_EQ((*each)->state(), ContextState::kRunning);
          }
          EXPECT_EQ(side.connection().state(), ConnectionState::kEstablished);
          EXPECT_TRUE(side.agree("failed"));
          EXPECT_TRUE(side.agree("seen"));
        }
      },
      become_nobody, kForEveryone);
}

// The kernel lets root write to any process, and a pid may be another one by now: of another
// program, and of another user.
TEST_F(UsersTest, RootWritesToTheMemoryOfNoOtherUsersProcess) {
  as_two(
      [](Partner& side) {
        const Plan plan{{.size = 5000}};
        if (side.is_server()) {
          Sender sender(side.connection(), side.engine(), plan);
          ASSERT_TRUE(sender.start());
          sender.send_to({side.consumer().value()});
          ASSERT_TRUE(side.run_until([&] { return sender.done(); }));
          ASSERT_EQ(sender.failed().size(), 1u);
          EXPECT_EQ(sender.failed()[0].code, Errc::not_permitted) << describe(sender.failed()[0]);
        } else {
          Receiver receiver(side.connection(), side.engine(), plan,
                            {.depth = 1, .way = DataWay::kCma, .kind = Rooms::Kind::kPrivate});
          ASSERT_TRUE(receiver.start());
          EXPECT_TRUE(side.agree("refused"));
          EXPECT_EQ(receiver.heard(), 0u);
          return;
        }
        EXPECT_TRUE(side.agree("refused"));
      },
      become_nobody, kForEveryone);
}

}  // namespace
}  // namespace comch::test
