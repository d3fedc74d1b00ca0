// comch: the program for people and scripts who want no file tree.
//
//   comch listen echo &        comch send echo hello        comch ls
//
// Order: read the command line, find the subcommand, run it, say how it went.
// Errors: exit code 0: done. 1: failed, one line on standard error says why and what to
// do. 2: the command line made no sense.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "comch/comch.h"
#include "tool/commands.h"
#include "tool/option_values.h"

namespace comch::tool {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

constexpr const char* kFooter =
    "Examples:\n"
    "  comch listen echo --echo              a server that answers what it hears\n"
    "  comch send echo 'hello dpu'           one message\n"
    "  comch connect echo                    talk: lines out, messages in\n"
    "  comch ls                              what there is\n"
    "  comch bench --plot figures.svg        how fast this machine is, as a picture\n"
    "\n"
    "COMCH_RUNTIME_DIR names the directory in which servers and clients meet.\n"
    "comch(1) has the details, comch(7) the files of the mounted tree.";

void add_common_options(CLI::App& app, CommonOptions& common) {
  app.add_option("--device", common.device, "Device to use: a name or a PCI address")
      ->type_name("DEVICE");
  app.add_option("--representor", common.representor,
                 "Host function that a server serves, or that a client is on")
      ->type_name("PCI");
  takes_count(app.add_option("--max-message-size", common.max_message_size,
                             "Longest message in bytes; both ends must agree"),
              "BYTES")
      ->capture_default_str();
  app.add_flag("--json", common.json, "Print data as JSON");
  app.add_option_function<std::string>(
         "--log-level", [](const std::string& word) { set_log_level(*parse_log_level(word)); },
         "What the library tells on standard error: off, error, warning, info or debug")
      ->type_name("LEVEL")
      ->check([](const std::string& word) {
        return parse_log_level(word) ? std::string() : "there is no log level " + word;
      });
}

// Where help for what was tried stands: "comch" or "comch send".
std::string tried(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "comch" : "comch " + chosen.front()->get_name();
}

// CLI11 tells of a word it does not know only where it misses none.
std::string objection(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  if (!app.get_subcommands().empty() || unknown.empty()) return error.what();
  const char* kind = unknown.front().starts_with('-') ? "option" : "subcommand";
  return fmt::format("there is no {} {}", kind, unknown.front());
}

// The next descriptors to be made would take the numbers of standard streams that are closed. What
// is opened in their places cannot be read, or written to.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    std::ignore = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Standard output holds back what is written to it, until here.
Outcome<> flush_output() {
  const int before = std::exchange(errno, 0);  // Of what has flushed it already, as --help has.
  const bool is_out = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_out) return {};
  return complain_of_output(errno != 0 ? errno : before != 0 ? before : EIO);
}

Outcome<> run(const Command& chosen) {
  try {
    if (Outcome<> outcome = chosen(); !outcome) return outcome;
  } catch (const std::system_error& error) {  // fmt::print()'s.
    return complain_of_output(error.code().value());
  }
  return flush_output();
}

int fail(const std::string& why, int status) {
  tell(fmt::format("comch: {}\n", why));
  return status;
}

int run(int argc, char** argv) {
  occupy_standard_streams();
  CLI::App app("comch: message channels between a host and its DPU, for any Linux machine",
               "comch");
  app.set_version_flag("--version", fmt::format("comch {}", version()));
  // Subcommands take the footer that there is when they are made; the program's own comes after.
  app.footer("`comch --help` has the common options, which every subcommand takes.");
  app.require_subcommand(1);
  app.fallthrough();  // `comch recv echo --json` means `comch --json recv echo`.

  CommonOptions common;
  Command chosen;
  add_common_options(app, common);
  for (auto* add :
       {add_ls, add_stat, add_send, add_recv, add_connect, add_listen, add_bench, add_bench_peer}) {
    add(app, common, chosen);
  }
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      return fail(fmt::format("{}; try `{} --help`", objection(app, error), tried(app)), kUsage);
    }
    errno = 0;
    app.exit(error);  // --help and --version.
    chosen = [] { return Outcome<>(); };
  }
  if (Outcome<> outcome = run(chosen); !outcome) return fail(outcome.error().text, kFailure);
  return 0;
}

}  // namespace
}  // namespace comch::tool

int main(int argc, char** argv) { return comch::tool::run(argc, argv); }
