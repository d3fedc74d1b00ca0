// doca_argp_start: reads the command line and the file, checks them as a whole, and only then
// calls back; see doca_argp.h.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "doca/argp.h"
#include "doca/argp_help.h"
#include "doca/argp_json.h"
#include "doca/argp_words.h"
#include "doca/log_line.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::doca::Argp;
using comch::doca::ArgpFile;
using comch::doca::ArgpFlag;
using comch::doca::ArgpGiven;
using comch::doca::ArgpValue;
using comch::doca::ArgpWords;

namespace {

std::optional<int> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  if (digits.starts_with('-')) return std::nullopt;
  const std::string whole = (negative ? "-" : "") + std::string(digits);
  int number = 0;
  const auto [end, error] =
      std::from_chars(whole.data(), whole.data() + whole.size(), number, base);
  if (error != std::errc() || end != whole.data() + whole.size()) return std::nullopt;
  return number;
}

// One run of the parser.
class Start {
 public:
  Start(Argp& argp, std::span<char* const> words) : argp_(argp), words_(words) {}

  doca_error_t run() {
    split_words();
    doca_error_t result = read_command_line();
    if (result == DOCA_SUCCESS) result = read_file();
    if (result == DOCA_SUCCESS) result = check();
    if (result == DOCA_SUCCESS) result = set_levels();
    if (result == DOCA_SUCCESS) result = call_back();
    if (result == DOCA_SUCCESS && argp_.validation != nullptr) result = validate();
    return result;
  }

 private:
  doca_error_t wrong(std::string_view sentence, Errc code = Errc::invalid_value) const {
    argp_.say(fmt::format("{} (see {} --help)", sentence, argp_.program));
    return doca::number_of(code);
  }

  // Of a DPDK program the words before "--" are DPDK's; without "--" none are.
  void split_words() {
    program_words_ = words_.subspan(std::min<std::size_t>(1, words_.size()));
    if (argp_.dpdk == nullptr) return;
    const auto dashes = std::ranges::find(words_, std::string_view("--"),
                                          [](const char* word) { return std::string_view(word); });
    if (dashes == words_.end()) return;
    const auto before = static_cast<std::size_t>(dashes - words_.begin());
    program_words_ = words_.subspan(before + 1);
    dpdk_words_.assign(words_.begin(), dashes);
  }

  doca_error_t read_command_line() {
    auto read = doca::read_words(argp_, program_words_);
    if (!read) return wrong(read.error().sentence);
    line_ = std::move(*read);
    if (line_.has(general_.help)) leave(doca::argp_help(argp_, line_.path));
    if (!line_.has(general_.version)) return DOCA_SUCCESS;
    if (argp_.version == nullptr) leave(doca::argp_versions());
    const doca_error_t result = argp_.version(nullptr, argp_.config);
    if (result == DOCA_SUCCESS) leave("");
    return wrong("the versions are not known", static_cast<Errc>(result));
  }

  [[noreturn]] static void leave(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::exit(EXIT_SUCCESS);
  }

  const std::string* value_of(const doca_argp_param& param) const {
    const auto found = std::ranges::find(line_.given, &param, &ArgpGiven::param);
    return found != line_.given.end() ? &found->text : nullptr;
  }

  doca_error_t read_file() {
    const std::string* path = value_of(general_.json);
    if (path == nullptr) return DOCA_SUCCESS;
    auto file = doca::read_argp_file(*path);
    if (!file) return wrong(file.error(), Errc::io_failed);
    if (file->has_dpdk && argp_.dpdk != nullptr) {
      return wrong("there is no DPDK to give flags of a file to", Errc::not_supported);
    }
    const doca_error_t result = take_all(file->general, true);
    return result == DOCA_SUCCESS ? take_all(file->program, false) : result;
  }

  doca_error_t take_all(std::vector<ArgpFlag>& section, bool general) {
    const doca_argp_cmd* const program = &argp_.root;
    for (ArgpFlag& flag : section) {
      const doca_argp_param* param =
          doca::find_param({&program, 1}, &doca_argp_param::long_name, flag.name);
      const bool is_general = param == &general_.log_level || param == &general_.sdk_log_level;
      if (param == nullptr || param->cli_only || is_general != general) {
        return wrong(fmt::format("there is no option '{}' of files", flag.name));
      }
      if (const doca_error_t result = take(*param, flag); result != DOCA_SUCCESS) return result;
    }
    return DOCA_SUCCESS;
  }

  // An option of the file, unless the command line has it.
  doca_error_t take(const doca_argp_param& param, ArgpFlag& flag) {
    if (flag.type != param.type) {
      return wrong(fmt::format("the value of '{}' is of the wrong type", flag.name));
    }
    const bool again = std::ranges::find(file_, &param, &ArgpGiven::param) != file_.end();
    if (!param.multiple && (again || flag.in_array)) {
      return wrong(fmt::format("'{}' takes one value", flag.name));
    }
    if (!line_.has(param)) file_.push_back({.param = &param, .text = std::move(flag.text)});
    return DOCA_SUCCESS;
  }

  bool has(const doca_argp_param& param) const {
    return line_.has(param) || std::ranges::find(file_, &param, &ArgpGiven::param) != file_.end();
  }

  // Every value can be converted, nothing is missing, nothing is given that must be alone, no
  // command is left open.
  doca_error_t check() const {
    for (const auto* options : {&file_, &line_.given}) {
      for (const ArgpGiven& given : *options) {
        if (given.param != nullptr && given.param->type == DOCA_ARGP_TYPE_INT &&
            !integer(given.text)) {
          return wrong(fmt::format("{} takes a whole number", doca::shown(*given.param)));
        }
      }
    }
    const auto is_singular = [](const ArgpGiven& given) {
      return given.param != nullptr && given.param->singular;
    };
    const std::size_t all = line_.given.size() + file_.size();
    if (std::ranges::any_of(line_.given, is_singular) || std::ranges::any_of(file_, is_singular)) {
      return all == 1 ? DOCA_SUCCESS : wrong("an option was given that must be given alone");
    }
    for (const doca_argp_cmd* cmd : line_.path) {
      for (const doca_argp_param* param : cmd->params) {
        if (param->mandatory && !has(*param)) {
          return wrong(fmt::format("{} is missing", doca::shown(*param)));
        }
      }
    }
    const doca_argp_cmd& last = *line_.path.back();
    if (&last != &argp_.root && last.callback == nullptr && !last.cmds.empty()) {
      return wrong(fmt::format("'{}' needs a command", last.name));
    }
    return DOCA_SUCCESS;
  }

  doca_error_t set_levels() const {
    for (const auto* options : {&file_, &line_.given}) {  // The command line has the last word.
      for (const ArgpGiven& given : *options) {
        const bool program = given.param == &general_.log_level;
        if (!program && given.param != &general_.sdk_log_level) continue;
        const auto level = static_cast<std::uint32_t>(integer(given.text).value_or(0));
        if (!doca::is_log_level(level)) {
          return wrong(fmt::format("{} is one of 10, 20 ... 70", doca::shown(*given.param)));
        }
        if (program) {
          doca_log_level_set_global_lower_limit(level);
        } else {
          doca_log_level_set_global_sdk_limit(level);
        }
      }
    }
    return DOCA_SUCCESS;
  }

  doca_error_t call_back() {
    if (!dpdk_words_.empty()) {
      const doca_error_t result =
          argp_.dpdk(static_cast<int>(dpdk_words_.size()), dpdk_words_.data());
      if (result != DOCA_SUCCESS) return result;
    }
    for (const auto* options : {&file_, &line_.given}) {
      for (const ArgpGiven& given : *options) {
        const doca_error_t result = given.cmd != nullptr ? call(*given.cmd) : call(given);
        if (result != DOCA_SUCCESS) return result;
      }
    }
    return DOCA_SUCCESS;
  }

  doca_error_t call(const doca_argp_cmd& cmd) const {
    if (cmd.callback == nullptr) return DOCA_SUCCESS;
    return refused(cmd.callback(argp_.config), cmd.name);
  }

  doca_error_t call(const ArgpGiven& given) {
    const doca_argp_param& param = *given.param;
    if (param.callback == nullptr) return DOCA_SUCCESS;  // One of every program's.
    ArgpValue& value = argp_.values.emplace_back(given.text, 0, given.text == "true");
    void* what = value.text.data();
    if (param.type == DOCA_ARGP_TYPE_INT) {
      value.number = integer(given.text).value_or(0);  // check() has converted it, too.
      what = &value.number;
    } else if (param.type == DOCA_ARGP_TYPE_BOOLEAN) {
      what = &value.flag;
    }
    return refused(param.callback(what, argp_.config), doca::shown(param));
  }

  doca_error_t validate() const { return refused(argp_.validation(argp_.config), "the options"); }

  // What a callback answered, said if it is an error.
  doca_error_t refused(doca_error_t result, std::string_view what) const {
    if (result == DOCA_SUCCESS) return result;
    argp_.say(fmt::format("the program refused {}: {}", what, doca_error_get_descr(result)));
    return result;
  }

  Argp& argp_;
  const doca::ArgpGeneral& general_ = doca::argp_general();
  std::span<char* const> words_;
  std::span<char* const> program_words_;
  std::vector<char*> dpdk_words_;
  ArgpWords line_;
  std::vector<ArgpGiven> file_;
};

void name_program(Argp& argp, std::span<char* const> words) {
  if (!argp.program.empty()) return;
  const std::string_view path = words.empty() ? std::string_view("program") : words.front();
  argp.program = path.substr(path.find_last_of('/') + 1);
}

// Words end with a null pointer, as main() has them, which is looked for no further than needed.
bool has_words(int argc, char* const* argv) {
  return argc >= 0 && std::find(argv, argv + argc, nullptr) == argv + argc;
}

}  // namespace

doca_error_t doca_argp_start(int argc, char** argv) {
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  if (argv == nullptr) return doca::null_argument();
  if (!has_words(argc, argv)) {
    return doca::refuse(Errc::invalid_value, "argv has fewer words than argc says");
  }
  return doca::guarded([&] {
    const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
    argp->started = true;
    name_program(*argp, words);
    return Start(*argp, words).run();
  });
}

void doca_argp_usage(void) {
  const std::unique_ptr<Argp>& argp = Argp::instance();
  if (argp == nullptr) return;
  doca::guarded([&] {
    const doca_argp_cmd* const program = &argp->root;
    const std::string text = doca::argp_help(*argp, {&program, 1});
    std::fwrite(text.data(), 1, text.size(), stdout);
    return DOCA_SUCCESS;
  });
}
