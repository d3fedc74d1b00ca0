// The accelerator, its threads, completion contexts and asynchronous operations: settings in every
// state.
#include "doca/bad_input/setters.h"
#include "doca/dpa_parties.h"

DOCA_DPA_APP_DEFINE(first_application)
DOCA_DPA_APP_DEFINE(second_application)

namespace comch::test {
namespace {

void first_function(std::uint64_t) {}
void second_function(std::uint64_t) {}

using DpaStatesTest = DpaTest;

TEST_F(DpaStatesTest, AnAcceleratorIsConfiguredWhileStopped) {
  const auto application = [&] {
    doca_dpa_app* has = nullptr;
    EXPECT_EQ(doca_dpa_get_app(dpa, &has), kYes);
    if (has == first_application) return std::uint64_t{1};
    return std::uint64_t{has == second_application ? 2U : 0U};
  };
  const auto level = [&] {
    auto has = DOCA_DPA_DEV_LOG_LEVEL_DISABLE;
    EXPECT_EQ(doca_dpa_get_log_level(dpa, &has), kYes);
    return std::uint64_t{has == DOCA_DPA_DEV_LOG_LEVEL_DEBUG ? 1U : 2U};
  };
  const auto path = [&] {
    char has[16] = {};
    std::uint32_t room = sizeof has;
    EXPECT_EQ(doca_dpa_log_file_get_path(dpa, has, &room), kYes);
    return std::uint64_t{std::string(has) == "stderr" ? 1U : 2U};
  };
  try_setters(
      {{"doca_dpa_set_app",
        [&](auto n) {
          return doca_dpa_set_app(dpa, n == 1 ? first_application : second_application);
        },
        application},
       {"doca_dpa_set_log_level",
        [&](auto n) {
          return doca_dpa_set_log_level(
              dpa, n == 1 ? DOCA_DPA_DEV_LOG_LEVEL_DEBUG : DOCA_DPA_DEV_LOG_LEVEL_INFO);
        },
        level},
       {"doca_dpa_log_file_set_path",
        [&](auto n) { return doca_dpa_log_file_set_path(dpa, n == 1 ? "stderr" : "stdout"); },
        path}},
      {shut("started", [] {}), open("stopped", [&] { ASSERT_EQ(doca_dpa_stop(dpa), kYes); })});
}

TEST_F(DpaStatesTest, AnExtendedAcceleratorHasTheSettingsOfItsBase) {
  const OpenDevice host(kHostPci);
  doca_dpa* extended = nullptr;
  ASSERT_EQ(doca_dpa_device_extend(dpa, host, &extended), kYes);
  constexpr auto kNever = DOCA_ERROR_NOT_PERMITTED;
  EXPECT_EQ(doca_dpa_set_app(extended, first_application), kNotNow);
  EXPECT_EQ(doca_dpa_set_log_level(extended, DOCA_DPA_DEV_LOG_LEVEL_DEBUG), kNever);
  EXPECT_EQ(doca_dpa_log_file_set_path(extended, "stderr"), kNever);
  EXPECT_EQ(doca_dpa_destroy(extended), kYes);
}

TEST_F(DpaStatesTest, AThreadIsConfiguredWhileStopped) {
  doca_dpa_thread* thread = nullptr;
  ASSERT_EQ(doca_dpa_thread_create(dpa, &thread), kYes);
  const auto function = [](std::uint64_t n) {
    return device_function(n == 1 ? first_function : second_function);
  };
  const auto call = [&] {
    doca_dpa_func_t* has = nullptr;
    std::uint64_t argument = 0;
    EXPECT_EQ(doca_dpa_thread_get_func_arg(thread, &has, &argument), kYes);
    EXPECT_TRUE(has == nullptr || has == function(argument));
    return argument;
  };
  const auto storage = [&] {
    doca_dpa_dev_uintptr_t has = 0;
    EXPECT_EQ(doca_dpa_thread_get_local_storage(thread, &has), kYes);
    return has;
  };
  // Places to run are the device's own, made by functions that programs here do without.
  const auto place = [&](std::uint64_t n) {
    return reinterpret_cast<const doca_dpa_eu_affinity*>(n);
  };
  const auto affinity = [&] {
    const doca_dpa_eu_affinity* has = nullptr;
    EXPECT_EQ(doca_dpa_thread_get_affinity(thread, &has), kYes);
    return reinterpret_cast<std::uint64_t>(has);
  };
  try_setters({{"doca_dpa_thread_set_func_arg",
                [&](auto n) { return doca_dpa_thread_set_func_arg(thread, function(n), n); }, call},
               {"doca_dpa_thread_set_local_storage",
                [&](auto n) { return doca_dpa_thread_set_local_storage(thread, n); }, storage},
               {"doca_dpa_thread_set_affinity",
                [&](auto n) { return doca_dpa_thread_set_affinity(thread, place(n)); }, affinity}},
              {open("made", [] {}),
               shut("started", [&] { ASSERT_EQ(doca_dpa_thread_start(thread), kYes); }),
               open("stopped", [&] { ASSERT_EQ(doca_dpa_thread_stop(thread), kYes); })});
  EXPECT_EQ(doca_dpa_thread_destroy(thread), kYes);
}

TEST_F(DpaStatesTest, CompletionsAndCopiesAreConfiguredWhileStopped) {
  const DeviceThread first(dpa, [] {});
  const DeviceThread second(dpa, [] {});
  doca_dpa_completion* completion = nullptr;
  doca_dpa_async_ops* copies = nullptr;
  ASSERT_EQ(doca_dpa_completion_create(dpa, 4, &completion), kYes);
  ASSERT_EQ(doca_dpa_async_ops_create(dpa, 4, 0, &copies), kYes);
  const auto thread = [&] {
    doca_dpa_thread* has = nullptr;
    EXPECT_EQ(doca_dpa_completion_get_thread(completion, &has), kYes);
    if (has == first) return std::uint64_t{1};
    return std::uint64_t{has == second ? 2U : 0U};
  };
  const Setter attach{"doca_dpa_async_ops_attach",
                      [&](auto) { return doca_dpa_async_ops_attach(copies, completion); }};
  try_setters(
      {{"doca_dpa_completion_set_thread",
        [&](auto n) { return doca_dpa_completion_set_thread(completion, n == 1 ? first : second); },
        thread}},
      {open("made", [] {}),
       shut("started", [&] { ASSERT_EQ(doca_dpa_completion_start(completion), kYes); }),
       open("stopped", [&] { ASSERT_EQ(doca_dpa_completion_stop(completion), kYes); })});
  ASSERT_EQ(doca_dpa_completion_start(completion), kYes);
  try_setters({attach},
              {open("made", [] {}),
               shut("started", [&] { ASSERT_EQ(doca_dpa_async_ops_start(copies), kYes); }),
               open("stopped", [&] { ASSERT_EQ(doca_dpa_async_ops_stop(copies), kYes); })});
  EXPECT_EQ(doca_dpa_async_ops_start(copies), kYes);
  EXPECT_EQ(doca_dpa_async_ops_destroy(copies), kYes);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), kYes);
}

}  // namespace
}  // namespace comch::test
