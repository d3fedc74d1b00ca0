// PeerPlan: the plans as JSON, each under the name of its path. Both processes are one program,
// so enumerations go as their numbers.
#include "tool/bench/peer_plan.h"

#include <nlohmann/json.hpp>

namespace comch::tool {
namespace {

constexpr const char* kFast = "fast";
constexpr const char* kControl = "control";

}  // namespace

// Found by the library beside the types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CommonOptions, device, representor, max_message_size, json)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProcessorPair, own, peer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FastPlan, common, api, size, memory, way, by, reads, waiting,
                                   producers, consumers, seconds, cpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResponderOptions, common, reply, waiting, cpu)

std::string to_text(const PeerPlan& plan) {
  nlohmann::json text;
  if (const auto* fast = std::get_if<FastPlan>(&plan)) {
    text[kFast] = *fast;
  } else {
    text[kControl] = std::get<ResponderOptions>(plan);
  }
  return text.dump();
}

Outcome<PeerPlan> parse_peer_plan(std::string_view text) {
  try {
    const auto plan = nlohmann::json::parse(text);
    if (plan.contains(kFast)) return plan.at(kFast).get<FastPlan>();
    return plan.at(kControl).get<ResponderOptions>();
  } catch (const nlohmann::json::exception&) {
    return complain("this is no plan that comch bench has written; run comch bench itself");
  }
}

}  // namespace comch::tool
