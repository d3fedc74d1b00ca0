// The examples that move a file, run as their users run them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/child_process.h"
#include "support/file_content.h"
#include "support/temp_dir.h"
#include "system/fast/rooms.h"

namespace comch::test {
namespace {

struct BulkTest : testing::Test {
  ChildProcess consumer(const std::string& name) {
    return ChildProcess::exec({"bulk_consumer", "--name", name, "--file", dir / "copy"},
                              dir / "consumer.txt");
  }
  bool said(const std::string& text) const {
    return eventually([&] { return content_of(dir / "consumer.txt").find(text) != text.npos; });
  }

  RuntimeDirectory runtime;
  TempDir dir;
};

TEST_F(BulkTest, AFileArrivesWhole) {
  std::string original;
  original.resize(30'000'001);
  fill(std::as_writable_bytes(std::span(original)), 1);
  std::ofstream(dir / "original", std::ios::binary) << original;
  auto receiver = consumer("bulk");
  ASSERT_TRUE(said("receiving as"));
  const auto sent = run_program({"bulk_producer", "--file", dir / "original"});
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->exit, Exit::with(0)) << sent->output;
  EXPECT_EQ(sent->output.rfind("30000001 bytes in ", 0), 0u) << sent->output;
  EXPECT_EQ(receiver.wait(), Exit::with(0));
  EXPECT_TRUE(said("has 30000001 bytes"));
  EXPECT_TRUE(content_of(dir / "copy") == original);
}

TEST_F(BulkTest, AConsumerWhoseProducerDiesSaysThatTheFileIsNotComplete) {
  auto receiver = consumer("bulk");
  ASSERT_TRUE(said("receiving as"));
  // A file that goes on for ever.
  auto producer =
      ChildProcess::exec({"bulk_producer", "--file", "/dev/zero"}, dir / "producer.txt");
  ASSERT_TRUE(eventually([&] { return std::filesystem::file_size(dir / "copy") > 0; }));
  producer.kill(SIGKILL);
  EXPECT_EQ(receiver.wait(), Exit::with(1));
  EXPECT_TRUE(said("the file is not complete"));
}

TEST_F(BulkTest, AProducerWithoutAConsumerSaysSo) {
  std::ofstream(dir / "original") << "text";
  const auto sent = run_program({"bulk_producer", "--file", dir / "original"});
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->exit, Exit::with(1));
  EXPECT_NE(sent->output.find("not_found"), std::string::npos) << sent->output;
}

TEST_F(BulkTest, AConsumerWhoseFileCannotBeWrittenWaitsForNobody) {
  const auto received = run_program({"bulk_consumer", "--file", dir / "nowhere" / "copy"});
  ASSERT_TRUE(received);
  EXPECT_EQ(received->exit, Exit::with(1));
  EXPECT_NE(received->output.find("cannot be written"), std::string::npos) << received->output;
}

}  // namespace
}  // namespace comch::test
