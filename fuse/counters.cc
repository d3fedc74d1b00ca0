// Named numbers and their files; see counters.h.
#include "counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "services.h"

namespace comch::fuse {

Counters connection_counters(const ConnectionCounters& engine, const ConnectionExtras& extras) {
  return {{"tx_msgs", engine.sent_messages},
          {"tx_bytes", engine.sent_bytes},
          {"rx_msgs", engine.received_messages},
          {"rx_bytes", engine.received_bytes},
          {"in_flight", extras.in_flight},
          {"sends_held", engine.sends_held},
          {"wakes_sent", engine.wakes_sent},
          {"wakes_received", engine.wakes_received},
          {"messages_dropped", extras.messages_dropped},
          {"empty_skipped", extras.empty_skipped}};
}

void add(Counters& sum, const Counters& more) {
  if (sum.empty()) {
    sum = more;
    return;
  }
  for (std::size_t n = 0; n < sum.size() && n < more.size(); ++n) sum[n].value += more[n].value;
}

void subtract(Counters& counters, const Counters& less) {
  for (std::size_t n = 0; n < counters.size() && n < less.size(); ++n) {
    counters[n].value -= std::min(counters[n].value, less[n].value);
  }
}

void add_counter_files(Services& services, Directory& directory,
                       const std::function<Counters()>& all) {
  auto stats = std::make_shared<Directory>(directory.shared_record());
  std::size_t position = 0;
  for (const Counter& counter : all()) {
    services.add_attribute(*stats, counter.name, {.show = [all, position] {
      return fmt::format("{}", all()[position].value);
    }});
    ++position;
  }
  directory.add("stats", std::move(stats));
  services.add_attribute(directory, "stats.json", {.show = [all] {
                           nlohmann::ordered_json json;
                           for (const Counter& counter : all()) json[counter.name] = counter.value;
                           return json.dump();
                         }});
}

}  // namespace comch::fuse
