// argp_help: see argp_help.h.
#include "doca/argp_help.h"

#include <doca_version.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "doca/argp_words.h"

namespace comch::doca {

namespace {

struct Line {
  std::string left;
  std::string right;
};

Line line_of(const doca_argp_param& param) {
  std::string left = param.short_name.empty() ? "   " : fmt::format("-{}", param.short_name);
  if (!param.long_name.empty()) {
    left += fmt::format("{} --{}", param.short_name.empty() ? " " : ",", param.long_name);
  }
  if (!param.arguments.empty()) {
    left += " " + param.arguments;
  } else if (param.type != DOCA_ARGP_TYPE_BOOLEAN) {
    left += " <value>";
  }
  return {.left = std::move(left),
          .right = param.description + (param.mandatory ? " (mandatory)" : "")};
}

// A title and what it is of, the descriptions under one another; nothing of nothing.
std::string section(std::string_view title, const std::vector<Line>& lines) {
  if (lines.empty()) return {};
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.left.size());
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [left, right] : lines) {
    text += fmt::format("  {:<{}}  {}\n", left, width, right);
  }
  return text;
}

std::vector<Line> options_of(std::span<const doca_argp_cmd* const> path) {
  std::vector<Line> lines;
  for (std::size_t i = path.size(); i-- > 0;) {
    const bool own = i + 1 == path.size();
    for (const doca_argp_param* param : path[i]->params) {
      if ((own || param->inherited) && !param->hidden) lines.push_back(line_of(*param));
    }
  }
  return lines;
}

std::vector<Line> commands_of(const doca_argp_cmd& cmd) {
  std::vector<Line> lines;
  for (const doca_argp_cmd* below : cmd.cmds) {
    if (!below->hidden) lines.push_back({.left = below->name, .right = below->description});
  }
  return lines;
}

}  // namespace

std::string argp_help(const Argp& argp, std::span<const doca_argp_cmd* const> path) {
  std::string call = argp.program;
  if (argp.dpdk != nullptr) call += " [DPDK options] --";
  for (const doca_argp_cmd* cmd : path.subspan(1)) call += " " + cmd->name;
  std::vector<Line> general;
  for (const doca_argp_param* param : argp_general().all()) general.push_back(line_of(*param));
  const doca_argp_cmd& last = *path.back();
  std::string text =
      fmt::format("Usage: {} [options]{}\n", call, last.cmds.empty() ? "" : " <command> [options]");
  if (!last.description.empty()) text += fmt::format("\n{}\n", last.description);
  text += section("Commands", commands_of(last));
  text += section("Options", options_of(path));
  text += section("Options of every program", general);
  return text;
}

std::string argp_versions() {
  return fmt::format("Interface: DOCA {}\nLibrary: {}\n", doca_version(), doca_version_runtime());
}

}  // namespace comch::doca
