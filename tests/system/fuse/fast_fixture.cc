// FastTest; fast_fixture.h says what it promises.
#include "fast_fixture.h"

namespace comch::test {
namespace fs = std::filesystem;

void FastTest::SetUp() {
  PairTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  consumer_ = server_end_ / "consumers/c0";
  producer_ = client_end_ / "producers/p0";
  ASSERT_EQ(make_directory(consumer_), 0);
  ASSERT_EQ(make_directory(producer_), 0);
}

void FastTest::connect_ends(const Settings& settings) {
  for (const auto& [file, text] : {std::pair{"buf_size", settings.buf_size},
                                   {"depth", settings.depth},
                                   {"imm_data_len", settings.imm_data_len}}) {
    const int error = text.empty() ? 0 : write_to(consumer_ / file, text);
    ASSERT_EQ(error, 0) << file;
  }
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0) << value(consumer_ / "error");
  ASSERT_EQ(aim(producer_, consumer_), 0) << value(producer_ / "error");
}

int FastTest::aim(const fs::path& producer, const fs::path& consumer) {
  return write_to(producer / "target", value(consumer / "id"));
}

std::uint64_t FastTest::count(const fs::path& object, std::string_view counter) {
  return std::stoull(value(object / "stats" / counter));
}

}  // namespace comch::test
