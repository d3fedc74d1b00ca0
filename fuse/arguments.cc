// The command line; see arguments.h.
#include "arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "help_text.h"

namespace comch::fuse {
namespace {

// The words of the command line as CLI11 leaves them.
struct Words {
  std::vector<std::string> places;
  std::vector<std::string> option_lists;
  std::string log_level;
  std::string log_target;
  bool sloppy = false;
};

void say(std::string_view text) { fmt::print(stderr, "comchfs: {}\n", text); }

void declare_own(CLI::App& app, Arguments& arguments, Words& words) {
  app.add_flag("-f,--foreground", arguments.foreground, "Stay in the foreground");
  app.add_option("--log-level", words.log_level, "off, error, warning, info or debug")
      ->check(CLI::IsMember({"off", "error", "warning", "info", "debug"}));
  app.add_option("--log", words.log_target, "Where lines go: stderr or journal")
      ->check(CLI::IsMember({"stderr", "journal"}));
}

// What mount(8) may say and what means nothing here.
struct Ignored {
  bool flag = false;
  std::string value;
};

void declare_helper(CLI::App& app, Arguments& arguments, Words& words, Ignored& ignored) {
  app.add_flag("-f", arguments.fake, "Do everything but the mount itself");
  app.add_flag("-s", words.sloppy, "Pass over unknown mount options");
  app.add_flag("-n,-v", ignored.flag, "Accepted, without effect");
  app.add_option("-t,-N", ignored.value, "Accepted, without effect");
}

// Two places, of which the first may be left out, are one option to CLI11.
class Help : public CLI::Formatter {
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] [SOURCE] MOUNTPOINT\n", name);
  }
  std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
};

// The rest of what the words say; false, and said so, when they say nothing sensible.
bool interpret(const Words& words, Arguments& arguments) {
  for (const std::string& list : words.option_lists) {
    if (auto parsed = parse_mount_options(list, words.sloppy, arguments.mount); !parsed) {
      say(parsed.error());
      return false;
    }
  }
  arguments.mount_point = words.places.back();
  if (words.places.size() == 2) arguments.source = words.places.front();
  if (!arguments.mount.source.empty()) arguments.source = arguments.mount.source;
  if (arguments.source.find(',') != std::string::npos) {
    say("a source has no comma in it");
    return false;
  }
  arguments.log_level = parse_log_level(words.log_level);
  if (words.log_target == "stderr") arguments.log_target = LogTarget::kStderr;
  if (words.log_target == "journal") arguments.log_target = LogTarget::kJournal;
  return true;
}

}  // namespace

std::variant<Arguments, ExitCode> parse_arguments(int count, char** words) {
  const std::string program = std::filesystem::path(words[0]).filename();
  const bool is_helper = program.starts_with("mount.");
  Arguments arguments;
  Words read;
  Ignored ignored;
  CLI::App app("Shows comch's servers, clients and connections as files", program);
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("-V,--version", version_text());
  app.add_option("MOUNTPOINT", read.places)->required()->expected(1, 2);
  app.add_option("-o", read.option_lists,
                 "side=host|dpu|both, [no]autostart, [no]allow_other, user_objects=,\n"
                 "user_memory=, fsname=, ro, ...; comchfs(8) has all")
      ->allow_extra_args(false);
  if (is_helper) {
    declare_helper(app, arguments, read, ignored);
  } else {
    declare_own(app, arguments, read);
  }
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::kSuccess : ExitCode::kUsage;
  }
  if (!interpret(read, arguments)) return ExitCode::kUsage;
  return arguments;
}

}  // namespace comch::fuse
