// Responder: the other end of the control path's benchmark, a server that answers.
//
//   Peer::start([&](const std::string& name, const Peer::Ready& ready) {
//     return respond({.reply = Reply::kEcho, ...}, name, ready);
//   });
//
// An empty message is a fence: it is always sent back, so a client that has it back knows
// that everything before it was received.
//
// Threads: its process's one.
// Order: it returns when its client has left.
#pragma once

#include <cstdint>
#include <string>

#include "tool/bench/peer.h"
#include "tool/bench/turn.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

enum class Reply : std::uint8_t { kEcho, kFencesOnly };

struct ResponderOptions {
  CommonOptions common;
  Reply reply = Reply::kEcho;
  Waiting waiting = Waiting::kPoll;
  int cpu = -1;  // To run on; -1: anywhere.
};

Outcome<> respond(const ResponderOptions& options, const std::string& name,
                  const Peer::Ready& ready);

}  // namespace comch::tool
