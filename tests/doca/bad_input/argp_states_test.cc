// The option parser, its parameters and commands: settings in every state. Those that answer
// nothing are looked at where they are kept.
#include <array>

#include "doca/argp.h"
#include "doca/bad_input/rows.h"
#include "doca/parsed.h"

namespace comch::test {
namespace {

doca_error_t on_command(void*) { return kYes; }
doca_error_t on_other_command(void*) { return kYes; }
doca_error_t on_value(void*, void*) { return kYes; }
doca_error_t on_other_value(void*, void*) { return kYes; }

template <class Made>
using TextSetter = void (*)(Made*, const char*);
template <class Made>
Setter text_setter(const char* function, Made*& made, TextSetter<Made> set,
                   std::string Made::* where) {
  return silent(
      function, [&made, set](std::uint64_t n) { set(made, n == 1 ? "one" : "two"); },
      [&made, where] { return std::uint64_t{made->*where == "one" ? 1U : 2U}; });
}
template <class Made>
Setter flag_setter(const char* function, Made*& made, void (*set)(Made*), bool Made::* where) {
  return silent(
      function, [&made, set](std::uint64_t) { set(made); },
      [&made, where] { return std::uint64_t{made->*where ? 1U : 2U}; });
}

struct ArgpStatesTest : testing::Test {
  ~ArgpStatesTest() override { doca_argp_destroy(); }

  static void init() { ASSERT_EQ(doca_argp_init("tool", nullptr), kYes); }
  static void start() {
    std::string name = "program";
    std::array<char*, 2> argv{name.data(), nullptr};
    ASSERT_EQ(doca_argp_start(1, argv.data()), kYes);
  }
  static void init_again() {
    ASSERT_EQ(doca_argp_destroy(), kYes);
    init();
  }
  void make() {
    param = ParsedTest::make("x", "example", DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(param, on_other_value);
    cmd = ParsedTest::make_cmd("command");
  }
  void make_registered() {
    make();
    ASSERT_EQ(doca_argp_register_param(param), kYes);
    ASSERT_EQ(doca_argp_register_cmd(cmd), kYes);
  }
  std::vector<Setter> checked_setters();
  std::vector<Setter> other_setters();

  doca_argp_param* param = nullptr;
  doca_argp_cmd* cmd = nullptr;
};

// What the registration looks at.
std::vector<Setter> ArgpStatesTest::checked_setters() {
  const auto callback = [this] { return std::uint64_t{param->callback == on_value ? 1U : 2U}; };
  const auto type = [this] { return std::uint64_t{param->type == DOCA_ARGP_TYPE_INT ? 1U : 2U}; };
  return {text_setter("doca_argp_param_set_short_name", param, doca_argp_param_set_short_name,
                      &doca_argp_param::short_name),
          text_setter("doca_argp_param_set_long_name", param, doca_argp_param_set_long_name,
                      &doca_argp_param::long_name),
          text_setter("doca_argp_cmd_set_name", cmd, doca_argp_cmd_set_name, &doca_argp_cmd::name),
          silent(
              "doca_argp_param_set_callback",
              [this](auto n) {
                doca_argp_param_set_callback(param, n == 1 ? on_value : on_other_value);
              },
              callback),
          silent(
              "doca_argp_param_set_type",
              [this](auto n) {
                doca_argp_param_set_type(param,
                                         n == 1 ? DOCA_ARGP_TYPE_INT : DOCA_ARGP_TYPE_STRING);
              },
              type)};
}

std::vector<Setter> ArgpStatesTest::other_setters() {
  using Param = doca_argp_param;
  using Cmd = doca_argp_cmd;
  return {
      text_setter("doca_argp_param_set_arguments", param, doca_argp_param_set_arguments,
                  &Param::arguments),
      text_setter("doca_argp_param_set_description", param, doca_argp_param_set_description,
                  &Param::description),
      text_setter("doca_argp_cmd_set_description", cmd, doca_argp_cmd_set_description,
                  &Cmd::description),
      silent(
          "doca_argp_cmd_set_callback",
          [this](auto n) {
            doca_argp_cmd_set_callback(cmd, n == 1 ? on_command : on_other_command);
          },
          [this] { return std::uint64_t{cmd->callback == on_command ? 1U : 2U}; }),
      flag_setter("doca_argp_cmd_set_hidden", cmd, doca_argp_cmd_set_hidden, &Cmd::hidden),
      flag_setter("doca_argp_param_set_mandatory", param, doca_argp_param_set_mandatory,
                  &Param::mandatory),
      flag_setter("doca_argp_param_set_cli_only", param, doca_argp_param_set_cli_only,
                  &Param::cli_only),
      flag_setter("doca_argp_param_set_multiplicity", param, doca_argp_param_set_multiplicity,
                  &Param::multiple),
      flag_setter("doca_argp_param_set_singular", param, doca_argp_param_set_singular,
                  &Param::singular),
      flag_setter("doca_argp_param_set_inherited", param, doca_argp_param_set_inherited,
                  &Param::inherited),
      flag_setter("doca_argp_param_set_hidden", param, doca_argp_param_set_hidden, &Param::hidden)};
}

TEST_F(ArgpStatesTest, WhatARegistrationLooksAtStaysAsItWas) {
  init();
  try_setters(checked_setters(),
              {open("made", [&] { make(); }), shut("registered", [&] { make_registered(); }),
               shut("started", [] { start(); }), open("of another parser", [&] {
                 init_again();
                 make();
               })});
}

TEST_F(ArgpStatesTest, OptionsAndCommandsStayOnceTheParserHasStarted) {
  init();
  try_setters(other_setters(),
              {open("made", [&] { make(); }), open("registered", [&] { make_registered(); }),
               shut("started",
                    [&] {
                      init_again();
                      make_registered();
                      start();
                    }),
               open("of another parser", [&] {
                 init_again();
                 make();
               })});
}

// What is registered is made while that is possible.
TEST_F(ArgpStatesTest, TheParserIsConfiguredBetweenItsInitAndItsStart) {
  std::array<doca_argp_param*, 2> params{};
  std::array<doca_argp_cmd*, 2> cmds{};
  const auto make_all = [&] {
    const auto short_name = [](std::size_t n) { return n == 0 ? "a" : "b"; };
    for (std::size_t n = 0; n < 2; ++n) {
      params.at(n) = ParsedTest::make(short_name(n), nullptr, DOCA_ARGP_TYPE_STRING);
      cmds.at(n) = ParsedTest::make_cmd(short_name(n));
    }
  };
  const auto before = [] { doca_argp_destroy(); };
  const auto logger = [](doca_log_level, const char*, va_list) { return kYes; };
  try_setters(
      {{"doca_argp_register_param", [&](auto) { return doca_argp_register_param(params[0]); }},
       {"doca_argp_register_cmd", [&](auto) { return doca_argp_register_cmd(cmds[0]); }},
       {"doca_argp_cmd_register_param",
        [&](auto) { return doca_argp_cmd_register_param(cmds[0], params[1]); }},
       {"doca_argp_cmd_register_cmd",
        [&](auto) { return doca_argp_cmd_register_cmd(cmds[0], cmds[1]); }},
       {"doca_argp_register_version_callback",
        [&](auto) { return doca_argp_register_version_callback(on_value); }},
       {"doca_argp_register_validation_callback",
        [&](auto) { return doca_argp_register_validation_callback(on_command); }},
       {"doca_argp_register_logger_callback",
        [&](auto) { return doca_argp_register_logger_callback(logger); }},
       {"doca_argp_disable_logger_callback",
        [&](auto) { return doca_argp_disable_logger_callback(); }}},
      {shut("before its init", before),
       open("initialised",
            [&] {
              init();
              make_all();
            }),
       shut("started", [] { start(); }), open("another", [&] {
         init_again();
         make_all();
       })});
}

}  // namespace
}  // namespace comch::test
