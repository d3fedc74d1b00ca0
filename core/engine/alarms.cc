// Alarms: see alarms.h.
#include "engine/alarms.h"

#include <algorithm>

namespace comch::engine {

using transport::Alarm;

void Alarms::set(Alarm& alarm, std::uint64_t due_ns) {
  if (alarm.due_ns == Alarm::kNotSet) alarms_.push_back(&alarm);
  alarm.due_ns = due_ns;
  find_next();
}

void Alarms::clear(Alarm& alarm) {
  if (alarm.due_ns == Alarm::kNotSet) return;
  alarm.due_ns = Alarm::kNotSet;
  std::erase(alarms_, &alarm);
  find_next();
}

bool Alarms::ring(std::uint64_t now_ns) {
  if (now_ns < next_ns_) return false;
  // An alarm may set or clear any other from its call, so each turn looks afresh.
  bool rang = false;
  for (std::size_t turns = alarms_.size(); turns > 0; --turns) {
    const auto due = std::find_if(alarms_.begin(), alarms_.end(),
                                  [now_ns](const Alarm* a) { return a->due_ns <= now_ns; });
    if (due == alarms_.end()) break;
    Alarm* const alarm = *due;
    clear(*alarm);
    alarm->on_alarm();
    rang = true;
  }
  return rang;
}

void Alarms::find_next() {
  next_ns_ = Alarm::kNotSet;
  for (const Alarm* alarm : alarms_) next_ns_ = std::min(next_ns_, alarm->due_ns);
}

}  // namespace comch::engine
