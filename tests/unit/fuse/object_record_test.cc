// Tests of fuse/object_record.h: failures and open files of an object.
#include "object_record.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "outcome.h"

namespace comch::fuse {
namespace {

struct ObjectRecordTest : testing::Test {
  std::vector<std::string> told;
  std::shared_ptr<ObjectRecord> server = std::make_shared<ObjectRecord>(
      "servers/echo", 0, 0, 0755, [this](const ObjectRecord& object, const std::string& line) {
        told.push_back(object.path + " " + line);
      });
};

TEST_F(ObjectRecordTest, FailureHasItsErrnosNameAndTheReason) {
  server->note_failure(EBUSY, "it can be changed only while idle");
  EXPECT_EQ(server->last_failure, "EBUSY: it can be changed only while idle");
  EXPECT_EQ(told,
            std::vector<std::string>{"servers/echo EBUSY: it can be changed only while idle"});
}

TEST_F(ObjectRecordTest, FailureOfAConnectionIsItsServersToo) {
  ObjectRecord connection("servers/echo/conn0", 0, 0, 0755, {});
  connection.container = server;
  connection.note_failure(EMSGSIZE, "the message is too long");
  EXPECT_EQ(connection.last_failure, "EMSGSIZE: the message is too long");
  EXPECT_EQ(server->last_failure, "EMSGSIZE: the message is too long (servers/echo/conn0)");
}

TEST_F(ObjectRecordTest, OutcomeThatWasNotedAlreadyIsNotNotedAgain) {
  Outcome outcome = Outcome::failed(ENOENT, "no such server");
  outcome.is_noted = true;
  note_failure(*server, outcome);
  note_failure(*server, Outcome::done());
  EXPECT_TRUE(told.empty());
  outcome.is_noted = false;
  note_failure(*server, outcome);
  EXPECT_EQ(told.size(), 1U);
}

TEST_F(ObjectRecordTest, OnlyTheLastCloseIsTold) {
  int closes = 0;
  server->on_last_close = [&] { ++closes; };
  server->file_opened();
  server->file_opened();
  server->file_closed();
  EXPECT_EQ(closes, 0);
  server->file_closed();
  EXPECT_EQ(closes, 1);
}

TEST_F(ObjectRecordTest, ShareGoesBackWhenTheObjectHasEndedAndNoFileOfItIsOpen) {
  const auto share = std::make_shared<int>();
  server->share = share;
  server->file_opened();
  server->file_closed();
  server->file_opened();
  server->end();
  EXPECT_EQ(share.use_count(), 2);
  server->file_closed();
  EXPECT_EQ(share.use_count(), 1);
  server->share = share;
  server->end();
  EXPECT_EQ(share.use_count(), 1);
}

}  // namespace
}  // namespace comch::fuse
