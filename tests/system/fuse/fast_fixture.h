// FastTest: a tree with a server and a client, a consumer at the server's end and a producer
// at the client's, which is to send to it once connect_ends() was called.
//
//   TEST_F(SomeFastTest, OneWriteIsOneMessage) {
//     connect_ends();
//     EXPECT_EQ(send(producer_, "hello"), 0);
//     EXPECT_EQ(get(consumer_), got("hello"));
//   }
//
// Lifetime: as PairTest.
#pragma once

#include <string>
#include <string_view>

#include "tree_fixture.h"

namespace comch::test {

class FastTest : public PairTest {
 protected:
  void SetUp() override;

  struct Settings {
    std::string buf_size = {};  // Empty: as it is made.
    std::string depth = {};
    std::string imm_data_len = {};
  };
  // Configures and starts the consumer and aims the producer at it.
  void connect_ends() { connect_ends(Settings()); }
  void connect_ends(const Settings& settings);

  // Aims `producer` at what `consumer`, which runs, is to the other side. An errno, or 0.
  static int aim(const std::filesystem::path& producer, const std::filesystem::path& consumer);

  // The number a file of stats/ shows.
  static std::uint64_t count(const std::filesystem::path& object, std::string_view counter);

  std::filesystem::path consumer_, producer_;  // c0 of the server's end, p0 of the client's.
};

}  // namespace comch::test
