// MsgqTest: a tree with a MsgQ `q`, which is configured and started by the test.
//
//   TEST_F(MsgqTest, KernelEchoes) {
//     run_echo();
//     EXPECT_EQ(send(producer_, "hello"), 0);
//     EXPECT_EQ(get(consumer_), got("hello"));
//   }
//
// Lifetime: as TreeTest.
#pragma once

#include <string>
#include <string_view>

#include "support/temp_dir.h"
#include "tree_fixture.h"

namespace comch::test {

class MsgqTest : public TreeTest {
 protected:
  void SetUp() override;

  int set(std::string_view file, std::string_view text) const {
    return write_to(queue_ / file, text);
  }
  std::string get_value(std::string_view file) const { return value(queue_ / file); }

  // Starts it with the built-in kernel, and makes a producer and a consumer.
  void run_echo();
  // Both, of a MsgQ in both directions.
  void make_ends();

  // A copy of the shared object that COMCH_TEST_KERNELS has by this name, which its owner alone
  // may write.
  std::filesystem::path kernel(std::string_view name);

  bool becomes(std::string_view state) const;
  static std::uint64_t count(const std::filesystem::path& object, std::string_view counter);

  const std::filesystem::path& directory() const { return directory_.path(); }

  std::filesystem::path queue_, producer_, consumer_;  // q, its p0 and its c0.

 private:
  const TempDir directory_;
};

}  // namespace comch::test
