// comch recv: prints what a server sends.
#include "tool/commands.h"
#include "tool/conversation.h"
#include "tool/option_values.h"

namespace comch::tool {

void add_recv(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<ConversationOptions>();
  auto raw = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("recv", "Connect to a server and print every message it sends");
  command->add_option("SERVER", options->server, "Name of the server")->required();
  takes_count(command->add_option("--count", options->count, "End after so many messages"));
  takes_seconds(command->add_option("--timeout", options->timeout_s, "End after so long"));
  command->add_flag("--raw", *raw, "Print the bytes only, without a newline after each message");
  command->callback([&common, &chosen, options, raw] {
    options->show = common.json ? Format::kJson : *raw ? Format::kRaw : Format::kText;
    options->stay = true;
    chosen = [&common, options] { return converse(common, *options); };
  });
}

}  // namespace comch::tool
