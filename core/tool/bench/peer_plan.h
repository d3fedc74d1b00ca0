// PeerPlan: what the other process of a benchmark is to be, as a word of its command line.
//
//   std::string word = to_text(plan);            // in the one process
//   Outcome<PeerPlan> plan = parse_peer_plan(word);   // in the other
//
// Threads: plain values.
// Errors: a complaint about words that `comch bench` has not written.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tool/bench/fast_plan.h"
#include "tool/bench/responder_options.h"
#include "tool/complaint.h"

namespace comch::tool {

using PeerPlan = std::variant<FastPlan, ResponderOptions>;

std::string to_text(const PeerPlan& plan);
Outcome<PeerPlan> parse_peer_plan(std::string_view text);

}  // namespace comch::tool
