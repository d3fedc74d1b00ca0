// TomlValue: looking at a value before it is believed.
#include "comch/toml_value.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace comch {

Read<void> only_known_keys(const toml::table& table, Keys known, std::string_view what) {
  for (const auto& [key, value] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    return complain(value, "a {} has no \"{}\"; remove it or use one of {}", what,
                    printable(key.str()), fmt::join(known, ", "));
  }
  return {};
}

Read<std::string> read_text(const toml::table& table, std::string_view key, std::size_t max,
                            std::optional<std::string> otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (otherwise) return *std::move(otherwise);
    return complain(table, "{} is missing; add {} = \"...\"", key, key);
  }
  const auto* text = node->as_string();
  if (text == nullptr) return complain(*node, "{} is no text; put it in quotes", key);
  const std::string& value = text->get();
  const bool plain = std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7f; });
  if (value.empty() || value.size() > max || !plain) {
    return complain(*node, "{} \"{}\" does not do; use 1 to {} visible ASCII characters", key,
                    printable(value), max);
  }
  return value;
}

Read<std::uint32_t> read_number(const toml::node& node, std::string_view key, std::uint32_t min,
                                std::uint32_t max) {
  const std::optional<std::int64_t> value = node.value_exact<std::int64_t>();
  if (!value || *value < min || *value > max) {
    return complain(node, "{} does not do; use a number from {} to {}", key, min, max);
  }
  return static_cast<std::uint32_t>(*value);
}

Read<std::vector<std::uint32_t>> read_ids(const toml::table& table, std::string_view key) {
  std::vector<std::uint32_t> ids;
  const toml::node* node = table.get(key);
  if (node == nullptr) return ids;
  const toml::array* list = node->as_array();
  if (list == nullptr) return complain(*node, "{} is no list; write {} = [1000, 1001]", key, key);
  for (const toml::node& element : *list) {
    // The largest value is the kernel's "no id".
    constexpr std::uint32_t kIdMax = std::numeric_limits<std::uint32_t>::max() - 1;
    const Read<std::uint32_t> id = read_number(element, key, 0, kIdMax);
    if (!id) return std::unexpected(id.error());
    ids.push_back(*id);
  }
  return ids;
}

Read<bool> read_flag(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return false;
  const std::optional<bool> value = node->value_exact<bool>();
  if (!value) return complain(*node, "{} does not do; use true or false", key);
  return *value;
}

Read<std::vector<const toml::table*>> tables_of(const toml::table& parent, std::string_view key,
                                                std::string_view how) {
  std::vector<const toml::table*> tables;
  const toml::node* node = parent.get(key);
  if (node == nullptr) return tables;
  const toml::array* list = node->as_array();
  if (list == nullptr) return complain(*node, "{} is no list of tables; write {}", key, how);
  for (const toml::node& element : *list) {
    if (!element.is_table()) {
      return complain(element, "{} is no list of tables; write {}", key, how);
    }
    tables.push_back(element.as_table());
  }
  return tables;
}

}  // namespace comch
