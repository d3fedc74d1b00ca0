// comch send: delivers messages to a server and ends.
#include <unistd.h>

#include "tool/commands.h"
#include "tool/conversation.h"
#include "tool/option_values.h"

namespace comch::tool {

void add_send(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<ConversationOptions>();
  auto whole = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "send", "Send messages to a server: each argument, or each line of standard input");
  command->add_option("SERVER", options->server, "Name of the server")->required();
  auto* messages = command->add_option("MESSAGE", options->messages, "Messages, sent as they are");
  command->add_flag("--raw", *whole, "Send all of standard input as one message")
      ->excludes(messages);
  takes_seconds(command->add_option("--timeout", options->timeout_s, "Give up after so long"));
  command->callback([&common, &chosen, options, whole] {
    if (*whole) {
      options->input = Input::Unit::kWhole;
    } else if (options->messages.empty()) {
      options->input = Input::Unit::kLine;
    }
    chosen = [&common, options] { return converse(common, *options); };
  });
}

}  // namespace comch::tool
