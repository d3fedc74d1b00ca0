// Link: the one that the plan asks for.
#include "tool/bench/link.h"

#include "tool/bench/cpp_link.h"
#include "tool/bench/doca_link.h"

namespace comch::tool {

Outcome<std::unique_ptr<Link>> Link::connect(const FastPlan& plan, const std::string& server) {
  return plan.api == Api::kDoca ? connect_doca(plan, server) : connect_cpp(plan, server);
}

Outcome<std::unique_ptr<Link>> Link::listen(const FastPlan& plan, const std::string& name) {
  return plan.api == Api::kDoca ? listen_doca(plan, name) : listen_cpp(plan, name);
}

}  // namespace comch::tool
