// Report: the whole tree in one text, for programs that collect.
//
//   metrics       Prometheus' text format
//   status.json   everything, as JSON
//
// Threads: the loop's.
#pragma once

#include <string>

namespace comch::fuse {

class CollectionDirectory;

// What there is to report. Null: this mount does not show it.
struct Reported {
  const CollectionDirectory* servers;
  const CollectionDirectory* clients;
  const CollectionDirectory* msgqs;
};
std::string metrics_text(const Reported& reported);
std::string status_json(const Reported& reported);

}  // namespace comch::fuse
