// JSON objects of thousands of members, made without looking for what is not there.
//
//   add_member(json, "name", value);      // "name" is not in `json` yet.
//   add_members(json, std::move(more));   // Nor is anything of `more`.
//
// An ordered_json finds a member by looking at all of them, and copies them, whole, whenever its
// list has to grow: `json[name] = ...` for each of n objects takes n * n looks.
//
// Threads: a value's. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace comch::fuse {

// An empty object, with room for so many members.
inline nlohmann::ordered_json make_object(std::size_t members) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  object.get_ref<nlohmann::ordered_json::object_t&>().reserve(members);
  return object;
}

inline void add_member(nlohmann::ordered_json& object, const std::string& name,
                       nlohmann::ordered_json value) {
  object.get_ref<nlohmann::ordered_json::object_t&>().emplace_back(name, std::move(value));
}

inline void add_members(nlohmann::ordered_json& object, nlohmann::ordered_json more) {
  auto& from = more.get_ref<nlohmann::ordered_json::object_t&>();
  auto& to = object.get_ref<nlohmann::ordered_json::object_t&>();
  to.reserve(to.size() + from.size());
  for (auto& [name, value] : from) to.emplace_back(name, std::move(value));
}

}  // namespace comch::fuse
