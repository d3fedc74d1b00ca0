// Names of 119, 120 and 300 bytes, for each function that takes a name: those of servers have at
// most 119 and a NUL, all others are kept whole.
#include <doca_cc.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <set>
#include <string>

#include "doca/bad_input/rows.h"
#include "doca/dpa_parties.h"
#include "doca/endpoints.h"
#include "doca/logged.h"
#include "doca/parsed.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {

struct Answers {
  doca_error_t of_119 = kYes;
  doca_error_t of_120 = kYes;
  doca_error_t of_300 = kYes;
};
constexpr Answers kOfServers{.of_120 = kNo, .of_300 = kNo};

using Give = std::function<doca_error_t(const std::string&)>;
void try_name(const char* function, const Answers& answers, const Give& give) {
  const auto one = [&](std::size_t length, doca_error_t expected) {
    EXPECT_EQ(give(std::string(length, 'n')), expected) << function << ", " << length;
  };
  one(119, answers.of_119);
  one(120, answers.of_120);
  one(300, answers.of_300);
}

// What was made is destroyed.
template <class Object>
doca_error_t made_and_destroyed(doca_error_t made, Object* const& object,
                                doca_error_t (*destroy)(Object*)) {
  EXPECT_EQ(object != nullptr, made == kYes);
  if (object != nullptr) {
    EXPECT_EQ(destroy(object), kYes);
  }
  return made;
}

struct NamesTest : LegacyTest {};

TEST_F(NamesTest, OfServersAndTheirClients) {
  try_name("doca_comch_server_create", kOfServers, [&](const std::string& name) {
    doca_comch_server* made = nullptr;
    return made_and_destroyed(doca_comch_server_create(dpu, function, name.c_str(), &made), made,
                              doca_comch_server_destroy);
  });
  try_name("doca_comch_client_create", kOfServers, [&](const std::string& name) {
    doca_comch_client* made = nullptr;
    return made_and_destroyed(doca_comch_client_create(host, name.c_str(), &made), made,
                              doca_comch_client_destroy);
  });
  try_name("doca_cc_server_create", kOfServers, [&](const std::string& name) {
    doca_cc_server* made = nullptr;
    return made_and_destroyed(doca_cc_server_create(dpu, function, name.c_str(), &made), made,
                              doca_cc_server_destroy);
  });
  try_name("doca_cc_client_create", kOfServers, [&](const std::string& name) {
    doca_cc_client* made = nullptr;
    return made_and_destroyed(doca_cc_client_create(host, name.c_str(), &made), made,
                              doca_cc_client_destroy);
  });
}

// The longest name that a service may have is one that is found.
TEST_F(NamesTest, OfServicesAndThoseWhoConnect) {
  std::optional<Endpoint> service;
  try_name("doca_comm_channel_ep_listen", kOfServers, [&](const std::string& name) {
    Endpoint made = idle_service();
    const doca_error_t answer = doca_comm_channel_ep_listen(made, name.c_str());
    if (answer == kYes) service.emplace(std::move(made));
    return answer;
  });
  try_name("doca_comm_channel_ep_connect", kOfServers, [&](const std::string& name) {
    Endpoint client = idle_client();
    return client.connect(name.c_str());
  });
}

TEST_F(NamesTest, OfProgramsOptionsAndCommands) {
  const auto with_parser = [](const auto& use) {
    EXPECT_EQ(doca_argp_init("tool", nullptr), kYes);
    const doca_error_t answer = use();
    testing::internal::CaptureStdout();
    doca_argp_usage();
    const std::string usage = testing::internal::GetCapturedStdout();
    EXPECT_EQ(doca_argp_destroy(), kYes);
    return std::pair(answer, usage);
  };
  const auto shown = [](const auto& told, const std::string& name) {
    EXPECT_NE(told.second.find(name), std::string::npos) << name << " is cut in\n" << told.second;
    return told.first;
  };
  try_name("doca_argp_init", {}, [&](const std::string& name) {
    return shown(with_parser([&] {
                   EXPECT_EQ(doca_argp_destroy(), kYes);
                   return doca_argp_init(name.c_str(), nullptr);
                 }),
                 name);
  });
  const auto with_name = [&](auto set) {
    return [=](const std::string& name) {
      return shown(with_parser([&] {
                     doca_argp_param* param =
                         ParsedTest::make("x", "example", DOCA_ARGP_TYPE_STRING);
                     set(param, name.c_str());
                     return doca_argp_register_param(param);
                   }),
                   name);
    };
  };
  try_name("doca_argp_param_set_short_name", {}, with_name(doca_argp_param_set_short_name));
  try_name("doca_argp_param_set_long_name", {}, with_name(doca_argp_param_set_long_name));
  try_name("doca_argp_cmd_set_name", {}, [&](const std::string& name) {
    return shown(
        with_parser([&] { return doca_argp_register_cmd(ParsedTest::make_cmd(name.c_str())); }),
        name);
  });
}

TEST_F(NamesTest, OfSourcesOfLines) {
  listen();
  try_name("doca_log_register_source", {}, [](const std::string& name) {
    int source = 0;
    const doca_error_t answer = doca_log_register_source(name.c_str(), &source);
    EXPECT_EQ(doca_log(DOCA_LOG_LEVEL_CRIT, source, "file", 1, "function", "text"), kYes);
    EXPECT_NE(heard().back().find("[" + name + "]"), std::string::npos);
    EXPECT_EQ(doca_log_unregister_source(source), kYes);
    return answer;
  });
}

// Syslog has one name in a process.
TEST_F(NamesTest, OfProgramsInSyslog) {
  for (const auto create :
       {doca_log_backend_create_with_syslog, doca_log_backend_create_with_syslog_sdk}) {
    try_name("doca_log_backend_create_with_syslog", {}, [&](const std::string& name) {
      doca_error_t answer = DOCA_ERROR_UNEXPECTED;
      ChildProcess child = ChildProcess::run([&] {
        doca_log_backend* backend = nullptr;
        return static_cast<int>(create(name.c_str(), &backend));
      });
      const auto ended = child.wait();
      if (ended) answer = static_cast<doca_error_t>(ended->code);
      return answer;
    });
  }
}

// The name of a file has at most 255 bytes.
TEST_F(NamesTest, OfFilesForTheLogOfAnAccelerator) {
  const TempDir files;
  doca_dpa* dpa = nullptr;
  ASSERT_EQ(doca_dpa_create(dpu, &dpa), kYes);
  try_name("doca_dpa_log_file_set_path", {.of_300 = DOCA_ERROR_OPERATING_SYSTEM},
           [&](const std::string& name) {
             const std::string path = files / name;
             const doca_error_t answer = doca_dpa_log_file_set_path(dpa, path.c_str());
             std::array<char, 512> has{};
             std::uint32_t room = has.size();
             EXPECT_EQ(doca_dpa_log_file_get_path(dpa, has.data(), &room), kYes);
             EXPECT_EQ(has.data() == path, answer == kYes);
             return answer;
           });
  EXPECT_EQ(doca_dpa_destroy(dpa), kYes);
}

}  // namespace
}  // namespace comch::test
