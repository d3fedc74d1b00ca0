// doca_argp_param: making a parameter, and what it must be to be registered; see doca_argp.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "doca/argp.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::doca::Argp;

namespace comch::doca {

namespace {

// Names of the options that every program has.
constexpr std::array<std::string_view, 4> kGeneralShort{"h", "v", "l", "j"};
constexpr std::array<std::string_view, 5> kGeneralLong{"help", "version", "log-level",
                                                       "sdk-log-level", "json"};

// What is wrong with it on its own; null: nothing.
const char* flaw_of(const doca_argp_param& param) {
  if (param.short_name.empty() && param.long_name.empty()) return "the parameter has no name";
  if (param.callback == nullptr) return "the parameter has no callback";
  if (param.type == DOCA_ARGP_TYPE_UNKNOWN) return "the parameter has no type";
  if (param.type == DOCA_ARGP_TYPE_JSON_OBJ && (param.long_name.empty() || param.cli_only)) {
    return "a JSON object is known by its long name, and in files only";
  }
  return nullptr;
}

bool is_taken(const doca_argp_cmd& cmd, const doca_argp_param& param) {
  const auto same = [](const std::string& a, const std::string& b) { return !a.empty() && a == b; };
  return std::ranges::find(kGeneralShort, param.short_name) != kGeneralShort.end() ||
         std::ranges::find(kGeneralLong, param.long_name) != kGeneralLong.end() ||
         std::ranges::any_of(cmd.params, [&](const doca_argp_param* other) {
           return same(other->short_name, param.short_name) ||
                  same(other->long_name, param.long_name);
         });
}

}  // namespace

doca_error_t register_with(doca_argp_cmd& cmd, doca_argp_param* param, std::source_location where) {
  if (param == nullptr) return null_argument(where);
  if (param->registered) {
    return refuse(Errc::initialization, "the parameter is registered already", where);
  }
  if (const char* flaw = flaw_of(*param); flaw != nullptr) {
    return refuse(Errc::invalid_value, flaw, where);
  }
  if (is_taken(cmd, *param)) {
    return refuse(Errc::invalid_value, "a name of the parameter is taken", where);
  }
  return guarded([&] {
    cmd.params.push_back(param);
    param->registered = true;
    return DOCA_SUCCESS;
  });
}

std::string shown(const doca_argp_param& param) {
  return param.long_name.empty() ? "-" + param.short_name : "--" + param.long_name;
}

}  // namespace comch::doca

doca_error_t doca_argp_param_create(doca_argp_param** param) {
  if (param == nullptr) return doca::null_argument();
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  return doca::guarded([&] {
    *param = argp->params.emplace_back(std::make_unique<doca_argp_param>()).get();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_argp_param_destroy(doca_argp_param* param) {
  if (param == nullptr) return doca::null_argument();
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  if (param->registered) {
    return doca::refuse(Errc::bad_state, "the parameter is registered; it ends with the parser");
  }
  std::erase_if(argp->params, [&](const auto& known) { return known.get() == param; });
  return DOCA_SUCCESS;
}

void doca_argp_param_set_short_name(doca_argp_param* param, const char* name) {
  doca::set_until_registered(param, &doca_argp_param::short_name, name);
}

void doca_argp_param_set_long_name(doca_argp_param* param, const char* name) {
  doca::set_until_registered(param, &doca_argp_param::long_name, name);
}

void doca_argp_param_set_arguments(doca_argp_param* param, const char* arguments) {
  doca::set_until_start(param, &doca_argp_param::arguments, arguments);
}

void doca_argp_param_set_description(doca_argp_param* param, const char* description) {
  doca::set_until_start(param, &doca_argp_param::description, description);
}

void doca_argp_param_set_callback(doca_argp_param* param, doca_argp_param_cb_t callback) {
  doca::set_until_registered(param, &doca_argp_param::callback, callback);
}

void doca_argp_param_set_type(doca_argp_param* param, doca_argp_type type) {
  // As a number: what a C program passes need not be one of the names.
  const bool is_named = std::bit_cast<std::uint32_t>(type) <= DOCA_ARGP_TYPE_JSON_OBJ;
  doca::set_until_registered(param, &doca_argp_param::type,
                             is_named ? type : DOCA_ARGP_TYPE_UNKNOWN);
}

void doca_argp_param_set_mandatory(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::mandatory, true);
}

void doca_argp_param_set_cli_only(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::cli_only, true);
}

void doca_argp_param_set_multiplicity(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::multiple, true);
}

void doca_argp_param_set_singular(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::singular, true);
}

void doca_argp_param_set_inherited(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::inherited, true);
}

void doca_argp_param_set_hidden(doca_argp_param* param) {
  doca::set_until_start(param, &doca_argp_param::hidden, true);
}
