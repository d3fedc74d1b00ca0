// ArgpWords: see argp_words.h.
#include "doca/argp_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace comch::doca {

namespace {

using Name = std::string doca_argp_param::*;

doca_argp_param general(const char* short_name, const char* long_name, const char* arguments,
                        doca_argp_type type, const char* description) {
  return {.short_name = short_name,
          .long_name = long_name,
          .arguments = arguments,
          .description = description,
          .type = type,
          .cli_only = type == DOCA_ARGP_TYPE_STRING || type == DOCA_ARGP_TYPE_BOOLEAN};
}

// Reads word after word; stops at the first that means nothing.
class Reader {
 public:
  Reader(const Argp& argp, std::span<char* const> words) : words_(words) {
    read_.path.push_back(&argp.root);
  }

  std::expected<ArgpWords, ArgpMistake> read() {
    while (!words_.empty() && !mistake_) {
      const std::string_view word = next();
      if (word.starts_with("--") && word.size() > 2) {
        long_option(word.substr(2));
      } else if (word.starts_with('-') && word.size() > 1 && word != "--") {
        short_options(word.substr(1));
      } else {
        command(word);
      }
    }
    if (mistake_) return std::unexpected(ArgpMistake{*mistake_});
    return std::move(read_);
  }

 private:
  std::string_view next() {
    const std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  // "text" of --text value, or "text=value".
  void long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const doca_argp_param* param = find(&doca_argp_param::long_name, word.substr(0, equals));
    if (param == nullptr) return unknown("--", word.substr(0, equals));
    if (equals == std::string_view::npos) return option(*param, std::nullopt);
    option(*param, word.substr(equals + 1));
  }

  // "t" of -t value, "tvalue", "t=value", "abt" where a and b take no value; or a whole name.
  void short_options(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (const auto* param = find(&doca_argp_param::short_name, word.substr(0, equals))) {
      if (equals == std::string_view::npos) return option(*param, std::nullopt);
      return option(*param, word.substr(equals + 1));
    }
    while (!word.empty() && !mistake_) {
      const doca_argp_param* param = find(&doca_argp_param::short_name, word.substr(0, 1));
      if (param == nullptr) return unknown("-", word.substr(0, 1));
      word.remove_prefix(1);
      const bool is_flag = param->type == DOCA_ARGP_TYPE_BOOLEAN;
      if (!is_flag && !word.empty()) return option(*param, word);
      option(*param, std::nullopt);
    }
  }

  void option(const doca_argp_param& param, std::optional<std::string_view> value) {
    const std::string name = shown(param);
    if (param.type == DOCA_ARGP_TYPE_JSON_OBJ) {
      return wrong(fmt::format("{} is an option of JSON files only", name));
    }
    if (param.type == DOCA_ARGP_TYPE_BOOLEAN) {
      if (value) return wrong(fmt::format("{} takes no value", name));
      value = "true";
    } else if (!value) {
      if (words_.empty()) return wrong(fmt::format("{} needs a value", name));
      value = next();
    }
    if (!param.multiple && read_.has(param)) return wrong(fmt::format("{} is given twice", name));
    read_.given.push_back({.param = &param, .text = std::string(*value)});
  }

  void command(std::string_view word) {
    const std::vector<doca_argp_cmd*>& below = read_.path.back()->cmds;
    const auto found = std::ranges::find(below, word, &doca_argp_cmd::name);
    if (found == below.end()) {
      return wrong(fmt::format("'{}' is no {}", word, below.empty() ? "option" : "command"));
    }
    read_.path.push_back(*found);
    read_.given.push_back({.cmd = *found, .text = {}});
  }

  const doca_argp_param* find(Name kind, std::string_view name) const {
    return find_param(read_.path, kind, name);
  }

  void unknown(std::string_view dashes, std::string_view name) {
    wrong(fmt::format("there is no option {}{}", dashes, name));
  }
  void wrong(std::string sentence) { mistake_ = std::move(sentence); }

  std::span<char* const> words_;
  ArgpWords read_;
  std::optional<std::string> mistake_;
};

}  // namespace

bool ArgpWords::has(const doca_argp_param& param) const {
  return std::ranges::find(given, &param, &ArgpGiven::param) != given.end();
}

const ArgpGeneral& argp_general() {
  static const ArgpGeneral& only = *new ArgpGeneral{
      .help = general("h", "help", "", DOCA_ARGP_TYPE_BOOLEAN, "Print this help"),
      .version = general("v", "version", "", DOCA_ARGP_TYPE_BOOLEAN, "Print the versions"),
      .log_level = general("l", "log-level", "<level>", DOCA_ARGP_TYPE_INT,
                           "Level of the program's log: 10 disable, 20 critical, 30 error, "
                           "40 warning, 50 info, 60 debug, 70 trace"),
      .sdk_log_level = general("", "sdk-log-level", "<level>", DOCA_ARGP_TYPE_INT,
                               "Level of the library's log, in the same numbers"),
      .json =
          general("j", "json", "<path>", DOCA_ARGP_TYPE_STRING, "Take options from a JSON file"),
  };
  return only;
}

const doca_argp_param* find_param(std::span<const doca_argp_cmd* const> path, Name kind,
                                  std::string_view name) {
  if (name.empty()) return nullptr;
  for (std::size_t i = path.size(); i-- > 0;) {
    const bool own = i + 1 == path.size();
    for (const doca_argp_param* param : path[i]->params) {
      if ((own || param->inherited) && param->*kind == name) return param;
    }
  }
  for (const doca_argp_param* param : argp_general().all()) {
    if (param->*kind == name) return param;
  }
  return nullptr;
}

std::expected<ArgpWords, ArgpMistake> read_words(const Argp& argp, std::span<char* const> words) {
  return Reader(argp, words).read();
}

}  // namespace comch::doca
