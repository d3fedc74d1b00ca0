// DeviceLog: what device functions write, and what of it is kept.
#include <fstream>
#include <sstream>

#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

struct DocaDeviceLogTest : testing::Test {
  DocaDeviceLogTest() { EXPECT_EQ(doca_dpa_create(device, &dpa), DOCA_SUCCESS); }
  ~DocaDeviceLogTest() override { EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS); }
  void run(doca_dpa_func_t* function) {
    std::uint64_t answer = 0;
    ASSERT_EQ(doca_dpa_log_file_set_path(dpa, path.c_str()), DOCA_SUCCESS);
    ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
    ASSERT_EQ(doca_dpa_rpc(dpa, function, &answer), DOCA_SUCCESS);
  }
  std::string written() const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const TempDir dir;
  const std::string path = dir / "device.log";
  OpenDevice device{kDpuPci};
  doca_dpa* dpa = nullptr;
};

std::uint64_t say_all(std::uint64_t) {
  DOCA_DPA_DEV_LOG_ERR("error %d\n", 1);
  DOCA_DPA_DEV_LOG_WARN("warning %s\n", "two");
  DOCA_DPA_DEV_LOG_INFO("info\n");
  DOCA_DPA_DEV_LOG_DBG("debug\n");
  doca_dpa_dev_trace_flush();
  return 0;
}

std::uint64_t trace(std::uint64_t) {
  doca_dpa_dev_trace(1, 2, 0xabc, 4, 5);
  doca_dpa_dev_trace_flush();
  return 0;
}

TEST_F(DocaDeviceLogTest, HasLinesUpToItsLevel) {
  run(device_function(say_all));
  EXPECT_EQ(written(), "error 1\nwarning two\ninfo\n");
}

TEST_F(DocaDeviceLogTest, HasEverythingAtDebug) {
  ASSERT_EQ(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
  run(device_function(say_all));
  EXPECT_EQ(written(), "error 1\nwarning two\ninfo\ndebug\n");
}

TEST_F(DocaDeviceLogTest, HasNothingWhenItIsDisabled) {
  ASSERT_EQ(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
  run(device_function(say_all));
  EXPECT_EQ(written(), "");
}

TEST_F(DocaDeviceLogTest, HasTracesWhateverTheLevel) {
  ASSERT_EQ(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
  run(device_function(trace));
  EXPECT_EQ(written(), "trace 0x1 0x2 0xabc 0x4 0x5\n");
}

}  // namespace
}  // namespace comch::test
