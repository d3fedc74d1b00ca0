// Responder: the other end of the control path's benchmark, a server that answers.
//
//   respond({.reply = Reply::kEcho, ...}, name, ready);      // what a Peer does
//
// An empty message is a fence: it is always sent back, so a client that has it back knows
// that everything before it was received.
//
// Threads: its process's one.
// Order: it calls ready() when it can be connected to, and returns when its client has left.
#pragma once

#include <string>

#include "tool/bench/peer.h"
#include "tool/bench/responder_options.h"
#include "tool/complaint.h"

namespace comch::tool {

Outcome<> respond(const ResponderOptions& options, const std::string& name, const Ready& ready);

}  // namespace comch::tool
