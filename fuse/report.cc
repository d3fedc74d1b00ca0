// The whole tree in one text; see report.h.
#include "report.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "collection_directory.h"
#include "comch/comch.h"
#include "value.h"

namespace comch::fuse {
namespace {

// A value that goes up and down; all others only count up, unless they are reset.
bool is_gauge(std::string_view counter) {
  return counter == "connections" || counter == "in_flight";
}

std::string dump(const nlohmann::ordered_json& json, int indent) {
  // Names are whatever bytes mkdir was given; what is no UTF-8 is replaced, not thrown.
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// A label value: quotes, backslashes and newlines are escaped, and what is no UTF-8 is replaced.
std::string label(std::string_view text) {
  const std::string readable = nlohmann::ordered_json::parse(dump(text, -1));
  std::string escaped;
  for (const char c : readable) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return on_one_line(escaped);
}

void add_object_metrics(std::string& text, const CollectionDirectory& role, std::string_view kind) {
  const char* separator_line = "# TYPE comch_{}_{} {}\n";
  // One metric after the other, as the format wants it, each with all its objects.
  const auto& objects = role.objects();
  if (objects.empty()) return;
  // Asked once: a server's are the sums of its connections'.
  std::vector<std::pair<std::string, Counters>> all;
  all.reserve(objects.size());
  for (const auto& [name, object] : objects) all.emplace_back(label(name), object->counters());
  const Counters& names = all.front().second;
  for (std::size_t n = 0; n < names.size(); ++n) {
    text += fmt::format(fmt::runtime(separator_line), kind, names[n].name,
                        is_gauge(names[n].name) ? "gauge" : "counter");
    for (const auto& [name, counters] : all) {
      fmt::format_to(std::back_inserter(text), "comch_{}_{}{{name=\"{}\"}} {}\n", kind,
                     names[n].name, name, counters[n].value);
    }
  }
}

void add_role_metrics(std::string& text, const CollectionDirectory* role, std::string_view kind) {
  if (role == nullptr) return;
  text += fmt::format("# TYPE comch_{0}s gauge\ncomch_{0}s {1}\n", kind, role->objects().size());
  add_object_metrics(text, *role, kind);
}

}  // namespace

std::string metrics_text(const Reported& reported) {
  std::string text =
      fmt::format("# TYPE comch_info gauge\ncomch_info{{version=\"{}\"}} 1\n", version());
  add_role_metrics(text, reported.servers, "server");
  add_role_metrics(text, reported.clients, "client");
  add_role_metrics(text, reported.msgqs, "msgq");
  return text;
}

std::string status_json(const Reported& reported) {
  nlohmann::ordered_json json{{"version", version()}};
  const auto& [servers, clients, msgqs] = reported;
  if (servers != nullptr) json["servers"] = servers->json();
  if (clients != nullptr) json["clients"] = clients->json();
  if (msgqs != nullptr) json["msgq"] = msgqs->json();
  return dump(json, 2) + "\n";
}

}  // namespace comch::fuse
