// HugePages: messages between maps that are made of huge pages, which a device pins and writes to
// as it does with any.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "system/fast/traffic.h"
#include "unit/comch/parties.h"

namespace comch::test {
namespace {

// In the lane, beside it, over the border of two huge pages, and in many pieces.
const Plan kPlan{{.size = 8}, {.size = 4096}, {.size = 3U << 20U}, {.size = (3U << 20U) - 1}};
constexpr std::uint32_t kRooms = 2;

// As many as two sides of such rooms need, and some: of a guest that nobody else uses.
bool set_aside(int pages) {
  std::ofstream("/proc/sys/vm/nr_hugepages") << pages << std::flush;
  int got = 0;
  std::ifstream("/proc/sys/vm/nr_hugepages") >> got;
  return got == pages;
}

TEST(HugePagesGuestTest, MessagesGoFromPagesOfThePoolIntoPagesOfThePool) {
  if (std::getenv("RDMA_VM") == nullptr) GTEST_SKIP() << "the pages of this machine are its users'";
  ASSERT_TRUE(set_aside(16));
  const auto engine = ProgressEngine::create().value();
  ServerParty server(*engine, {.name = "huge"});
  ClientParty client(*engine, {.name = "huge"});
  ASSERT_TRUE(server->start() && client.connect());
  Rooms posted(kRooms, longest(kPlan), Rooms::Kind::kHuge);
  Rooms sources(1, longest(kPlan), Rooms::Kind::kHuge);
  ASSERT_EQ(posted.map().huge_pages(), HugePages::kPool);
  ASSERT_EQ(sources.map().huge_pages(), HugePages::kPool);
  Receiver receiver(server.connection(), *engine, kPlan, {.depth = kRooms, .rooms = &posted});
  Sender sender(client.connection(), *engine, kPlan, {.window = 1, .rooms = &sources});
  ASSERT_TRUE(receiver.start() && sender.start());
  ASSERT_TRUE(until(*engine, [&] { return !client.consumers.empty(); }));
  fill(sources.bytes(0).first(kPlan.front().size), seed_of(sender->id(), 0));
  sender.send_to(client.consumers);
  ASSERT_TRUE(until(*engine, [&] { return sender.done() && receiver.heard() == kPlan.size(); }))
      << sender.why();
  EXPECT_EQ(sender.sent(), kPlan.size());
  EXPECT_EQ(receiver.wrong(), 0u);
  EXPECT_TRUE(sender.stop() && receiver.stop());
}

}  // namespace
}  // namespace comch::test
