// doca_dpa: its life, its application, its log, extended contexts.
#include <array>
#include <cstring>

#include "doca/dpa_parties.h"

DOCA_DPA_APP_DEFINE(an_application)

namespace comch::test {
namespace {

struct DocaDpaTest : testing::Test {
  DocaDpaTest() { EXPECT_EQ(doca_dpa_create(device, &dpa), DOCA_SUCCESS); }
  ~DocaDpaTest() override { EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS); }
  OpenDevice device{kDpuPci};
  doca_dpa* dpa = nullptr;
};

void throws(std::uint64_t) { throw 1; }

TEST_F(DocaDpaTest, IsOnEveryDevice) {
  EXPECT_EQ(doca_dpa_cap_is_supported(device.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_cap_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaTest, NeedsItsPointers) {
  doca_dpa* other = nullptr;
  doca_dpa_dev_t handle = 0;
  EXPECT_EQ(doca_dpa_create(nullptr, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_create(device, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_peek_at_last_error(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_get_dpa_handle(nullptr, &handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_get_dpa_handle(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaTest, StartsAndStopsInTurns) {
  doca_dpa_dev_t handle = 0;
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_get_dpa_handle(dpa, &handle), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_start(dpa), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_get_dpa_handle(dpa, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
}

TEST_F(DocaDpaTest, StaysWhileSomethingMadeOnItIsLeft) {
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  doca_dpa_thread* thread = nullptr;
  ASSERT_EQ(doca_dpa_thread_create(dpa, &thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
}

TEST_F(DocaDpaTest, KnowsItsApplicationByName) {
  doca_dpa_app* app = an_application;
  EXPECT_EQ(doca_dpa_get_app(dpa, &app), DOCA_SUCCESS);
  EXPECT_EQ(app, nullptr);
  EXPECT_EQ(doca_dpa_set_app(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_set_app(nullptr, an_application), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_set_app(dpa, an_application), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_get_app(dpa, &app), DOCA_SUCCESS);
  EXPECT_EQ(app, an_application);
  EXPECT_EQ(doca_dpa_get_app(nullptr, &app), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_get_app(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_set_app(dpa, an_application), DOCA_ERROR_BAD_STATE);

  std::array<char, 15> name{};
  uint32_t length = 14;
  EXPECT_EQ(doca_dpa_app_get_name(app, name.data(), &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(length, 15U);
  EXPECT_EQ(doca_dpa_app_get_name(app, name.data(), &length), DOCA_SUCCESS);
  EXPECT_STREQ(name.data(), "an_application");
  EXPECT_EQ(doca_dpa_app_get_name(nullptr, name.data(), &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_app_get_name(app, nullptr, &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_app_get_name(app, name.data(), nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaTest, SettlesItsLogBeforeTheStart) {
  doca_dpa_dev_log_level_t level = DOCA_DPA_DEV_LOG_LEVEL_DISABLE;
  EXPECT_EQ(doca_dpa_get_log_level(dpa, &level), DOCA_SUCCESS);
  EXPECT_EQ(level, DOCA_DPA_DEV_LOG_LEVEL_INFO);
  EXPECT_EQ(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_get_log_level(dpa, &level), DOCA_SUCCESS);
  EXPECT_EQ(level, DOCA_DPA_DEV_LOG_LEVEL_DEBUG);
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a wrong program passes.
  EXPECT_EQ(doca_dpa_set_log_level(dpa, static_cast<doca_dpa_dev_log_level_t>(35)),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_set_log_level(nullptr, level), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_get_log_level(nullptr, &level), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_get_log_level(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_set_log_level(dpa, level), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_log_file_set_path(dpa, "stderr"), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaDpaTest, SaysWhereItsLogGoes) {
  const TempDir dir;
  const std::string wanted = dir / "device.log";
  std::array<char, 512> path{};
  auto length = static_cast<uint32_t>(path.size());
  EXPECT_EQ(doca_dpa_log_file_get_path(dpa, path.data(), &length), DOCA_SUCCESS);
  EXPECT_STREQ(path.data(), "stdout");
  EXPECT_EQ(length, 7U);
  EXPECT_EQ(doca_dpa_log_file_set_path(dpa, (dir / "no/such/folder").c_str()),
            DOCA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(doca_dpa_log_file_set_path(dpa, wanted.c_str()), DOCA_SUCCESS);
  EXPECT_EQ(dir.entries(), std::vector<std::string>{"device.log"});
  length = 3;
  EXPECT_EQ(doca_dpa_log_file_get_path(dpa, path.data(), &length), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(length, wanted.size() + 1);
  EXPECT_EQ(doca_dpa_log_file_get_path(dpa, path.data(), &length), DOCA_SUCCESS);
  EXPECT_EQ(path.data(), wanted);
  EXPECT_EQ(doca_dpa_log_file_set_path(nullptr, "stdout"), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_log_file_set_path(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_log_file_get_path(nullptr, path.data(), &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_log_file_get_path(dpa, nullptr, &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_log_file_get_path(dpa, path.data(), nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaTest, IsExtendedToAnotherDevice) {
  const OpenDevice other(kHostPci);
  doca_dpa* extended = nullptr;
  EXPECT_EQ(doca_dpa_device_extend(dpa, other, &extended), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_device_extend(nullptr, other, &extended), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_device_extend(dpa, nullptr, &extended), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_device_extend(dpa, other, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_device_extend(dpa, other, &extended), DOCA_SUCCESS);
  doca_dpa* again = nullptr;
  EXPECT_EQ(doca_dpa_device_extend(extended, other, &again), DOCA_ERROR_INVALID_VALUE);

  doca_dpa_dev_t handle = 0;
  doca_dpa_dev_t base = 0;
  EXPECT_EQ(doca_dpa_get_dpa_handle(extended, &handle), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_get_dpa_handle(dpa, &base), DOCA_SUCCESS);
  EXPECT_NE(handle, base);
  EXPECT_EQ(doca_dpa_set_log_level(extended, DOCA_DPA_DEV_LOG_LEVEL_DEBUG),
            DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_dpa_log_file_set_path(extended, "stderr"), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_dpa_stop(extended), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_dpa_start(extended), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_ERROR_IN_USE);
  doca_dpa_thread* thread = nullptr;
  EXPECT_EQ(doca_dpa_thread_create(extended, &thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_destroy(extended), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
}

TEST_F(DocaDpaTest, IsRuinedByAFunctionThatThrows) {
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_SUCCESS);
  std::uint64_t answer = 0;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(throws), &answer), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_ERROR_BAD_STATE);
  doca_dpa_thread* thread = nullptr;
  EXPECT_EQ(doca_dpa_thread_create(dpa, &thread), DOCA_ERROR_BAD_STATE);
}

}  // namespace
}  // namespace comch::test
