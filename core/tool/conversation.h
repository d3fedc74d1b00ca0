// Conversation: what send, recv and connect have in common: one client that sends some
// messages, shows some, and knows when it is over.
//
// It is over when the server ends it, on Ctrl-C, after `count` received messages, at
// `timeout_s`, or, unless `stay` is set, when everything there was to send is delivered.
//
// Threads: one thread, in a Loop of its own.
// Order: the messages of the command line first, then those of standard input.
// Errors: a complaint when something was to be sent and was not, when `count` messages
// were asked for and fewer came, or when the server died.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/common_options.h"
#include "tool/complaint.h"
#include "tool/input.h"
#include "tool/printer.h"

namespace comch::tool {

struct ConversationOptions {
  std::string server;
  std::vector<std::string> messages;   // Sent first.
  std::optional<Input::Unit> input;    // How to cut standard input; nothing: not read.
  std::optional<Format> show;          // How to print what comes; nothing: dropped.
  std::optional<std::uint64_t> count;  // Received messages after which it is over.
  std::optional<double> timeout_s;
  bool stay = false;  // Go on receiving when everything is sent.
};

Outcome<> converse(const CommonOptions& common, const ConversationOptions& options);

}  // namespace comch::tool
