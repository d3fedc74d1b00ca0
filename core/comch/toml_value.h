// TomlValue: one value of a TOML table, or what is wrong with it.
//
// Every read_ function answers with the value or with a Complaint: the line, and a
// sentence that says what to write instead.
//
//   Read<std::string> name = read_text(table, "name", 63);
//   if (!name) return std::unexpected(name.error());
//
// Threads: pure functions of a table that nobody changes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comch {

// One thing that is wrong, and where.
struct Complaint {
  std::uint32_t line = 0;
  std::string sentence;
};
template <class T>
using Read = std::expected<T, Complaint>;

template <class... Args>
std::unexpected<Complaint> complain(const toml::node& at, fmt::format_string<Args...> format,
                                    Args&&... args) {
  return std::unexpected(
      Complaint{at.source().begin.line, fmt::format(format, std::forward<Args>(args)...)});
}

using Keys = std::span<const std::string_view>;

// A misspelt key would otherwise be a setting that is silently not made.
Read<void> only_known_keys(const toml::table& table, Keys known, std::string_view what);

// Text of 1 to `max` visible ASCII characters; `otherwise` where the key is missing.
Read<std::string> read_text(const toml::table& table, std::string_view key, std::size_t max,
                            std::optional<std::string> otherwise = std::nullopt);

Read<std::uint32_t> read_number(const toml::node& node, std::string_view key, std::uint32_t min,
                                std::uint32_t max);

// A list of user or group ids; empty where the key is missing.
Read<std::vector<std::uint32_t>> read_ids(const toml::table& table, std::string_view key);

// False where the key is missing.
Read<bool> read_flag(const toml::table& table, std::string_view key);

// The tables of an array such as [[device]]; none where the key is missing. `how` is
// what the user should have written.
Read<std::vector<const toml::table*>> tables_of(const toml::table& parent, std::string_view key,
                                                std::string_view how);

// One of `choices`, by its name().
template <class T>
Read<T> read_choice(const toml::table& table, std::string_view key,
                    std::initializer_list<T> choices, std::optional<T> otherwise = std::nullopt) {
  const toml::node* node = table.get(key);
  if (node == nullptr && otherwise) return *otherwise;
  const std::optional<std::string> word =
      node == nullptr ? std::nullopt : node->value_exact<std::string>();
  std::vector<std::string> names;
  for (const T choice : choices) {
    if (word == name(choice)) return choice;
    names.push_back(fmt::format("\"{}\"", name(choice)));
  }
  return complain(node == nullptr ? table : *node, "{} is {}; write {} = {}", key,
                  node == nullptr ? "missing" : "something else", key, fmt::join(names, " or "));
}

}  // namespace comch
