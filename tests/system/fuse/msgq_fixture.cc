// MsgqTest; msgq_fixture.h says what it promises.
#include "msgq_fixture.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace comch::test {
namespace fs = std::filesystem;

void MsgqTest::SetUp() {
  TreeTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  queue_ = at("msgq/q");
  producer_ = queue_ / "producers/p0";
  consumer_ = queue_ / "consumers/c0";
  ASSERT_EQ(make_directory(queue_), 0);
}

void MsgqTest::run_echo() {
  ASSERT_EQ(set("kernel", "echo"), 0) << get_value("error");
  ASSERT_EQ(get_value("state"), "running");
  make_ends();
}

void MsgqTest::make_ends() {
  ASSERT_EQ(make_directory(producer_), 0);
  ASSERT_EQ(make_directory(consumer_), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0) << value(consumer_ / "error");
}

fs::path MsgqTest::kernel(std::string_view name) {
  const char* const built = std::getenv("COMCH_TEST_KERNELS");
  if (built == nullptr) {
    ADD_FAILURE() << "COMCH_TEST_KERNELS is not set";
    return {};
  }
  fs::path copy = directory() / name;
  std::error_code error;
  fs::copy_file(fs::path(built) / name, copy, error);
  if (!error && ::chmod(copy.c_str(), 0755) != 0) error.assign(errno, std::system_category());
  if (error) ADD_FAILURE() << copy << ": " << error.message();
  return copy;
}

bool MsgqTest::becomes(std::string_view state) const {
  return eventually([&] { return get_value("state") == state; });
}

std::uint64_t MsgqTest::count(const fs::path& object, std::string_view counter) {
  return std::stoull(value(object / "stats" / counter));
}

}  // namespace comch::test
