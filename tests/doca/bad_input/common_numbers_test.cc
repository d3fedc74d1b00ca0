// Devices, errors, the log and the option parser: every number at its limits.
#include <doca_dev.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "doca/bad_input/any_enum.h"
#include "doca/bad_input/setters.h"
#include "doca/logged.h"
#include "doca/parsed.h"

namespace comch::test {
namespace {

// The room for a word about a device: what is too little is one byte below `enough`, and there is
// no too much. Nothing is written behind `enough`.
template <class Info, class Unit>
void try_room(const char* function, const Info* info, std::uint32_t enough,
              doca_error_t (*get)(const Info*, Unit*, std::uint32_t), doca_error_t answer = kYes) {
  constexpr std::size_t kBehind = 8;
  std::vector<Unit> room(enough + kBehind, Unit{0x55});
  const auto ask = [&](std::uint64_t size) {
    return get(info, room.data(), static_cast<std::uint32_t>(size));
  };
  try_number(function, "size", {.zero = kNo, .at_most = answer}, ask);
  EXPECT_EQ(ask(enough - 1), kNo) << function;
  EXPECT_EQ(ask(enough), answer) << function;
  for (std::size_t n = enough; n < room.size(); ++n) EXPECT_EQ(room[n], Unit{0x55}) << function;
}

TEST(DeviceNumbersTest, RoomForWords) {
  const OpenDevice device(kDpuPci);
  const OpenRepresentor representor(device, kHostPci);
  const doca_devinfo* const info = device.info();
  const doca_devinfo_rep* const rep = doca_dev_rep_as_devinfo(representor);
  try_room("doca_devinfo_get_ibdev_name", info, DOCA_DEVINFO_IBDEV_NAME_SIZE,
           doca_devinfo_get_ibdev_name);
  try_room("doca_devinfo_get_iface_name", info, DOCA_DEVINFO_IFACE_NAME_SIZE,
           doca_devinfo_get_iface_name);
  try_room("doca_devinfo_get_ipv4_addr", info, DOCA_DEVINFO_IPV4_ADDR_SIZE,
           doca_devinfo_get_ipv4_addr, DOCA_ERROR_NOT_FOUND);
  try_room("doca_devinfo_get_ipv6_addr", info, DOCA_DEVINFO_IPV6_ADDR_SIZE,
           doca_devinfo_get_ipv6_addr, DOCA_ERROR_OPERATING_SYSTEM);
  try_room("doca_devinfo_get_mac_addr", info, DOCA_DEVINFO_MAC_ADDR_SIZE, doca_devinfo_get_mac_addr,
           DOCA_ERROR_NOT_SUPPORTED);
  try_room("doca_devinfo_rep_get_vuid", rep, DOCA_DEVINFO_REP_VUID_SIZE, doca_devinfo_rep_get_vuid);
  try_room("doca_devinfo_rep_get_iface_name", rep, DOCA_DEVINFO_IFACE_NAME_SIZE,
           doca_devinfo_rep_get_iface_name, DOCA_ERROR_OPERATING_SYSTEM);
}

TEST(DeviceNumbersTest, Filters) {
  const OpenDevice device(kDpuPci);
  const auto list = [&](std::uint64_t filter) {
    doca_devinfo_rep** found = nullptr;
    std::uint32_t count = 0;
    const doca_error_t listed =
        doca_devinfo_rep_create_list(device, static_cast<int>(filter), &found, &count);
    if (listed == kYes) {
      EXPECT_EQ(doca_devinfo_rep_destroy_list(found), kYes);
    }
    return listed;
  };
  constexpr std::uint64_t kAll = DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED;
  try_number("doca_devinfo_rep_create_list", "filter", {.most = kAll}, list);
  EXPECT_EQ(list(1), kNo) << "the bit that means nothing";
}

// What is no error has a name and a text, too, which say so.
TEST(ErrorNumbersTest, NamesAndTexts) {
  const auto known = [](const char* (*text)(unsigned int)) {
    return [text](std::uint64_t error) {
      const char* const said = text(static_cast<unsigned int>(error));
      if (said == nullptr) return DOCA_ERROR_UNEXPECTED;
      return std::string(said) == text(9999) ? kNo : kYes;
    };
  };
  constexpr Bounds kErrors{.most = DOCA_ERROR_SKIPPED};
  try_number("doca_error_get_name", "error", kErrors, known(error_name_number));
  try_number("doca_error_get_descr", "error", kErrors, known(error_descr_number));
}

TEST(LogNumbersTest, Levels) {
  doca_log_backend* const of_program = listen();
  doca_log_backend* const of_library = listen(true);
  const Bounds levels{.zero = kNo, .most = DOCA_LOG_LEVEL_TRACE};
  const auto level = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  try_number("doca_log_backend_set_level_lower_limit", "level", levels,
             [&](auto n) { return doca_log_backend_set_level_lower_limit(of_program, level(n)); });
  try_number("doca_log_backend_set_level_upper_limit", "upper_limit", levels,
             [&](auto n) { return doca_log_backend_set_level_upper_limit(of_program, level(n)); });
  try_number("doca_log_backend_set_sdk_level", "level", levels,
             [&](auto n) { return doca_log_backend_set_sdk_level(of_library, level(n)); });
  try_number("doca_log_level_set_global_lower_limit", "level", levels,
             [&](auto n) { return doca_log_level_set_global_lower_limit(level(n)); });
  try_number("doca_log_level_set_global_upper_limit", "upper_limit", levels,
             [&](auto n) { return doca_log_level_set_global_upper_limit(level(n)); });
  try_number("doca_log_level_set_global_sdk_limit", "level", levels,
             [&](auto n) { return doca_log_level_set_global_sdk_limit(level(n)); });
  try_number("doca_log", "level", levels,
             [&](auto n) { return doca_log(level(n), 0, "file", 1, "function", "text"); });
  // The limits there were, for the tests that come.
  EXPECT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO), kYes);
  EXPECT_EQ(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT), kYes);
  EXPECT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING), kYes);
}

// A line says what it is told, of a source that there is not, too.
TEST(LogNumbersTest, SourcesAndLines) {
  listen();
  const Bounds any{.negative = kYes};
  const auto say = [](int source, int line) {
    const std::size_t before = heard().size();
    EXPECT_EQ(doca_log(DOCA_LOG_LEVEL_INFO, source, "file", line, "function", "text"), kYes);
    return heard().size() > before ? kYes : kNo;  // By each backend there is.
  };
  try_number("doca_log", "source", any, [&](auto n) { return say(static_cast<int>(n), 1); });
  try_number("doca_log", "line", any, [&](auto n) { return say(0, static_cast<int>(n)); });
  constexpr auto kNone = DOCA_ERROR_NOT_FOUND;
  try_number("doca_log_unregister_source", "source",
             {.zero = kNone, .at_most = kNone, .negative = kNone},
             [](auto n) { return doca_log_unregister_source(static_cast<int>(n)); });
}

// The largest descriptor is open, the one behind it is not.
TEST(LogNumbersTest, DescriptorsAndBuffers) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(null, 0);
  ASSERT_EQ(dup2(null, 900), 900);
  doca_log_backend* backend = nullptr;
  const Bounds descriptors{.most = 900};
  try_number("doca_log_backend_create_with_fd", "fd", descriptors, [&](auto n) {
    return doca_log_backend_create_with_fd(static_cast<int>(n), &backend);
  });
  try_number("doca_log_backend_create_with_fd_sdk", "fd", descriptors, [&](auto n) {
    return doca_log_backend_create_with_fd_sdk(static_cast<int>(n), &backend);
  });
  // What it can hold is believed; no line is as long as this.
  static std::array<char, 65536> room;
  const auto drop = [](char*) {};
  try_number("doca_log_backend_create_with_buf", "capacity", {.zero = kNo}, [&](auto n) {
    return doca_log_backend_create_with_buf(room.data(), n, drop, &backend);
  });
  try_number("doca_log_backend_create_with_buf_sdk", "capacity", {.zero = kNo}, [&](auto n) {
    return doca_log_backend_create_with_buf_sdk(room.data(), n, drop, &backend);
  });
  EXPECT_EQ(doca_log_backend_create_with_buf(room.data(), 1, drop, &backend), kNo);
  close(null);
  close(900);
}

TEST(ArgpNumbersTest, WordsAndTypes) {
  std::string program = "program";
  std::string flag = "-a";
  const auto with_parser = [](const auto& use) {
    EXPECT_EQ(doca_argp_init("tool", nullptr), kYes);
    const doca_error_t answer = use();
    EXPECT_EQ(doca_argp_destroy(), kYes);
    return answer;
  };
  const auto on_flag = [](void*, void*) { return kYes; };
  // Two words and the null pointer behind them, as main() has them.
  try_number("doca_argp_start", "argc", {.most = 2}, [&](auto n) {
    return with_parser([&] {
      doca_argp_param* param = ParsedTest::make("a", nullptr, DOCA_ARGP_TYPE_BOOLEAN);
      doca_argp_param_set_callback(param, on_flag);
      EXPECT_EQ(doca_argp_register_param(param), kYes);
      std::array<char*, 3> argv{program.data(), flag.data(), nullptr};
      return doca_argp_start(static_cast<int>(n), argv.data());
    });
  });
  try_number("doca_argp_param_set_type", "type", {.zero = kNo, .most = DOCA_ARGP_TYPE_JSON_OBJ},
             [&](auto n) {
               return with_parser([&] {
                 doca_argp_param* param = ParsedTest::make("a", "all", DOCA_ARGP_TYPE_STRING);
                 doca_argp_param_set_callback(param, on_flag);
                 set_argp_type_number(param, static_cast<unsigned int>(n));
                 return doca_argp_register_param(param);
               });
             });
}

}  // namespace
}  // namespace comch::test
