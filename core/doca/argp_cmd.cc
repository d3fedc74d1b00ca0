// doca_argp_cmd: commands, and what is registered with them; see doca_argp.h.
#include <algorithm>

#include "doca/argp.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::doca::Argp;

namespace comch::doca {

namespace {

// Whether `wanted` is `cmd` or below it: a command below itself would have no end.
bool is_within(const doca_argp_cmd& cmd, const doca_argp_cmd& wanted) {
  return &cmd == &wanted || std::ranges::any_of(cmd.cmds, [&](const doca_argp_cmd* below) {
    return is_within(*below, wanted);
  });
}

}  // namespace

doca_error_t register_with(doca_argp_cmd& cmd, doca_argp_cmd* below, std::source_location where) {
  if (below == nullptr) return null_argument(where);
  if (below->registered) {
    return refuse(Errc::initialization, "the command is registered already", where);
  }
  if (below->name.empty() || below->name.starts_with('-')) {
    return refuse(Errc::invalid_value, "the command has no name, or that of an option", where);
  }
  if (is_within(*below, cmd)) {
    return refuse(Errc::invalid_value, "the command would be below itself", where);
  }
  if (std::ranges::find(cmd.cmds, below->name, &doca_argp_cmd::name) != cmd.cmds.end()) {
    return refuse(Errc::invalid_value, "the name of the command is taken", where);
  }
  return guarded([&] {
    cmd.cmds.push_back(below);
    below->registered = true;
    return DOCA_SUCCESS;
  });
}

}  // namespace comch::doca

doca_error_t doca_argp_cmd_create(doca_argp_cmd** cmd) {
  if (cmd == nullptr) return doca::null_argument();
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  return doca::guarded([&] {
    *cmd = argp->cmds.emplace_back(std::make_unique<doca_argp_cmd>()).get();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_argp_cmd_destroy(doca_argp_cmd* cmd) {
  if (cmd == nullptr) return doca::null_argument();
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  if (cmd->registered) {
    return doca::refuse(Errc::bad_state, "the command is registered; it ends with the parser");
  }
  std::erase_if(argp->cmds, [&](const auto& known) { return known.get() == cmd; });
  return DOCA_SUCCESS;
}

void doca_argp_cmd_set_name(doca_argp_cmd* cmd, const char* name) {
  doca::set_until_registered(cmd, &doca_argp_cmd::name, name);
}

void doca_argp_cmd_set_description(doca_argp_cmd* cmd, const char* description) {
  doca::set_until_start(cmd, &doca_argp_cmd::description, description);
}

void doca_argp_cmd_set_callback(doca_argp_cmd* cmd, doca_argp_cmd_cb_t callback) {
  doca::set_until_start(cmd, &doca_argp_cmd::callback, callback);
}

void doca_argp_cmd_set_hidden(doca_argp_cmd* cmd) {
  doca::set_until_start(cmd, &doca_argp_cmd::hidden, true);
}

doca_error_t doca_argp_cmd_register_param(doca_argp_cmd* cmd, doca_argp_param* input_param) {
  if (doca::configurable() == nullptr) return DOCA_ERROR_BAD_STATE;
  if (cmd == nullptr) return doca::null_argument();
  return doca::register_with(*cmd, input_param, std::source_location::current());
}

doca_error_t doca_argp_cmd_register_cmd(doca_argp_cmd* cmd, doca_argp_cmd* input_cmd) {
  if (doca::configurable() == nullptr) return DOCA_ERROR_BAD_STATE;
  if (cmd == nullptr) return doca::null_argument();
  return doca::register_with(*cmd, input_cmd, std::source_location::current());
}
