// Tests of fuse/event_log.h: cursors, and readers that are too slow.
#include "event_log.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

TEST(EventLogTest, ReaderSeesWhatHappensAfterItCame) {
  EventLog log(10);
  log.append("before");
  EventCursor cursor = log.end();
  EXPECT_FALSE(log.next(cursor));
  log.append("after");
  EXPECT_EQ(log.next(cursor), "after\n");
  EXPECT_FALSE(log.next(cursor));
}

TEST(EventLogTest, EveryReaderHasItsOwnCursor) {
  EventLog log(10);
  EventCursor one = log.end();
  log.append("first");
  EventCursor two = log.end();
  log.append("second");
  EXPECT_EQ(log.next(two), "second\n");
  EXPECT_EQ(log.next(one), "first\n");
  EXPECT_EQ(log.next(one), "second\n");
}

TEST(EventLogTest, ANameWithANewlineIsStillOneLine) {
  EventLog log(10);
  EventCursor cursor = log.end();
  log.append("created servers/mine\n1.0 removed servers/yours");
  EXPECT_EQ(log.next(cursor), "created servers/mine\\n1.0 removed servers/yours\n");
  EXPECT_FALSE(log.next(cursor));
}

TEST(EventLogTest, SlowReaderLearnsHowManyLinesItMissed) {
  EventLog log(3);
  EventCursor cursor = log.end();
  for (int n = 0; n < 8; ++n) log.append("line " + std::to_string(n));
  EXPECT_EQ(log.next(cursor), "lost 5\n");
  EXPECT_EQ(log.next(cursor), "line 5\n");
  EXPECT_EQ(log.next(cursor), "line 6\n");
  EXPECT_EQ(log.next(cursor), "line 7\n");
  EXPECT_FALSE(log.next(cursor));
}

}  // namespace
}  // namespace comch::fuse
