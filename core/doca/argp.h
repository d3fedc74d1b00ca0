// Argp: the one parser of a process: what was registered with it, and what it says.
//
//   argp.cc          its life, and what configures it
//   argp_param.cc    parameters            argp_cmd.cc   commands
//   argp_words.cc    the command line      argp_json.cc  the file
//   argp_start.cc    both, checked, and handed to the program
//   argp_help.cc     what -h prints
//
// Threads: one. Lifetime: from doca_argp_init() to doca_argp_destroy().
#pragma once

#include <doca_argp.h>

#include <deque>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "doca/refuse.h"

struct doca_argp_param {
  std::string short_name;
  std::string long_name;
  std::string arguments;
  std::string description;
  doca_argp_param_cb_t callback = nullptr;
  doca_argp_type type = DOCA_ARGP_TYPE_UNKNOWN;
  bool mandatory = false;
  bool cli_only = false;
  bool multiple = false;
  bool singular = false;
  bool inherited = false;
  bool hidden = false;
  bool registered = false;
};

struct doca_argp_cmd {
  std::string name;
  std::string description;
  doca_argp_cmd_cb_t callback = nullptr;
  bool hidden = false;
  bool registered = false;
  std::vector<doca_argp_param*> params;
  std::vector<doca_argp_cmd*> cmds;
};

namespace comch::doca {

// A value as a callback gets it; what it points to stays where it is.
struct ArgpValue {
  std::string text;
  int number = 0;
  bool flag = false;
};

class Argp {
 public:
  // Null: not initialised.
  static std::unique_ptr<Argp>& instance();

  // Says a sentence about what is wrong, where the program wants it.
  void say(std::string_view sentence) const;

  std::string program;
  void* config = nullptr;
  bool started = false;
  bool quiet = false;
  doca_argp_logger_cb_t logger = nullptr;
  doca_argp_param_cb_t version = nullptr;
  doca_argp_validation_cb_t validation = nullptr;
  doca_argp_dpdk_cb_t dpdk = nullptr;
  doca_argp_cmd root;  // The program is a command without a name.
  std::vector<std::unique_ptr<doca_argp_param>> params;
  std::vector<std::unique_ptr<doca_argp_cmd>> cmds;
  std::deque<ArgpValue> values;
};

// The parser, if it may be configured now: the start of every such function. Null: the answer
// is bad_state, and was said.
Argp* configurable(std::source_location where = std::source_location::current());

// Sets what a parameter or a command has. These calls answer nothing, so that a null pointer is
// passed over, and a text that cannot be copied is left out.
template <class Made, class Value, class Given>
void set_until_start(Made* made, Value Made::* which, Given given,
                     std::source_location where = std::source_location::current()) {
  if (made == nullptr || configurable(where) == nullptr) return;
  guarded([&] {
    if constexpr (std::is_same_v<Given, const char*>) {
      made->*which = given != nullptr ? given : "";
    } else {
      made->*which = given;
    }
    return DOCA_SUCCESS;
  });
}

// The same of what its registration has looked at: names that nothing else has, a type, a callback.
template <class Made, class Value, class Given>
void set_until_registered(Made* made, Value Made::* which, Given given,
                          std::source_location where = std::source_location::current()) {
  if (made != nullptr && made->registered) {
    refuse(Errc::bad_state, "it is registered already; set it before that", where);
    return;
  }
  set_until_start(made, which, given, where);
}

// Registers `param` with the program or one of its commands.
doca_error_t register_with(doca_argp_cmd& cmd, doca_argp_param* param, std::source_location where);
doca_error_t register_with(doca_argp_cmd& cmd, doca_argp_cmd* below, std::source_location where);

// "--text", or "-t" if it has no long name.
std::string shown(const doca_argp_param& param);

}  // namespace comch::doca
