// Parsed: tests of the option parser: one that is there, parameters that write down what they
// were called with, and what the parser says.
//
//   param("t", "text", DOCA_ARGP_TYPE_STRING);
//   EXPECT_EQ(start({"-t", "hello"}), DOCA_SUCCESS);
//   EXPECT_EQ(calls, (Calls{"text=hello"}));
//
// Threads: the test's. Lifetime: the parser ends with the test.
#pragma once

#include <doca_argp.h>
#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

#include "doca/answers.h"

namespace comch::test {

using Calls = std::vector<std::string>;

struct ParsedTest : testing::Test {
  ParsedTest() {
    here = this;
    EXPECT_EQ(doca_argp_init("tool", this), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_register_logger_callback(hear), DOCA_SUCCESS);
  }
  ~ParsedTest() override { doca_argp_destroy(); }

  static doca_error_t hear(doca_log_level level, const char* format, va_list args) {
    EXPECT_EQ(level, DOCA_LOG_LEVEL_ERROR);
    char line[512];
    std::vsnprintf(line, sizeof line, format, args);
    here->said += line;
    return DOCA_SUCCESS;
  }

  // One callback for each parameter would be each test's own; instead the kinds have one each,
  // and a parameter is known by its value.
  static doca_error_t on_text(void* value, void* config) {
    return note(config, static_cast<const char*>(value));
  }
  static doca_error_t on_number(void* value, void* config) {
    return note(config, std::to_string(*static_cast<int*>(value)));
  }
  static doca_error_t on_flag(void* value, void* config) {
    return note(config, *static_cast<bool*>(value) ? "true" : "false");
  }
  static doca_error_t note(void* config, const std::string& what) {
    EXPECT_EQ(config, here);
    here->calls.push_back(what);
    return here->answer;
  }

  static doca_argp_param_cb_t callback_of(doca_argp_type type) {
    if (type == DOCA_ARGP_TYPE_INT) return on_number;
    return type == DOCA_ARGP_TYPE_BOOLEAN ? on_flag : on_text;
  }
  // A parameter that is not registered.
  static doca_argp_param* make(const char* short_name, const char* long_name, doca_argp_type type) {
    doca_argp_param* param = nullptr;
    EXPECT_EQ(doca_argp_param_create(&param), DOCA_SUCCESS);
    doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_type(param, type);
    doca_argp_param_set_callback(param, callback_of(type));
    return param;
  }
  static doca_argp_param* param(const char* short_name, const char* long_name,
                                doca_argp_type type) {
    doca_argp_param* made = make(short_name, long_name, type);
    EXPECT_EQ(doca_argp_register_param(made), DOCA_SUCCESS);
    return made;
  }
  static doca_argp_cmd* make_cmd(const char* name) {
    doca_argp_cmd* cmd = nullptr;
    EXPECT_EQ(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_name(cmd, name);
    return cmd;
  }

  static doca_error_t start(std::vector<std::string> words) {
    words.insert(words.begin(), "/usr/bin/program");
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return doca_argp_start(static_cast<int>(words.size()), argv.data());
  }

  static inline ParsedTest* here = nullptr;
  std::string said;
  Calls calls;
  doca_error_t answer = DOCA_SUCCESS;
};

}  // namespace comch::test
