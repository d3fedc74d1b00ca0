// comch listen: makes a server and shows what its clients send.
#include <map>
#include <string>

#include "tool/commands.h"
#include "tool/listener.h"
#include "tool/option_values.h"

namespace comch::tool {

void add_listen(CLI::App& app, const CommonOptions& common, Command& chosen) {
  static const std::map<std::string, ListenOptions::To> kTo{{"all", ListenOptions::To::kAll},
                                                            {"first", ListenOptions::To::kFirst}};
  auto options = std::make_shared<ListenOptions>();
  auto raw = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "listen", "Be a server: print what clients send, send them lines of standard input");
  command->add_option("NAME", options->name, "Name of the server")->required();
  command->add_flag("--echo", options->echo, "Send every message back");
  add_choice<ListenOptions::To>(*command, "--to", options->to,
                                "Who gets the lines: all (default), or the first client", kTo);
  takes_count(command->add_option("--count", options->count, "End after so many messages"));
  takes_seconds(command->add_option("--timeout", options->timeout_s, "End after so long"));
  auto* tag = command->add_flag("--tag", options->tagged, "Print \"connN \" before each message");
  command->add_flag("--raw", *raw, "Print the bytes only, without a newline after each message")
      ->excludes(tag);
  command->add_flag("--quiet", options->quiet, "Do not tell who comes and goes");
  command->callback([&common, &chosen, options, raw] {
    options->format = common.json ? Format::kJson : *raw ? Format::kRaw : Format::kText;
    chosen = [&common, options]() -> Outcome<> {
      auto loop = Loop::create();
      if (!loop) return std::unexpected(loop.error());
      return Listener(*loop, common, *options).run();
    };
  });
}

}  // namespace comch::tool
