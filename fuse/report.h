// Report: the whole tree in one text, for programs that collect.
//
//   metrics       Prometheus' text format
//   status.json   everything, as JSON
//
// Threads: the loop's.
#pragma once

#include <string>

namespace comch::fuse {

class RoleDirectory;

// Either may be null: this mount does not show that side.
std::string metrics_text(const RoleDirectory* servers, const RoleDirectory* clients);
std::string status_json(const RoleDirectory* servers, const RoleDirectory* clients);

}  // namespace comch::fuse
