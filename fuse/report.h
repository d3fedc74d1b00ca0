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

// Either may be null: this mount does not show that side.
std::string metrics_text(const CollectionDirectory* servers, const CollectionDirectory* clients);
std::string status_json(const CollectionDirectory* servers, const CollectionDirectory* clients);

}  // namespace comch::fuse
