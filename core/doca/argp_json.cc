// ArgpFile: see argp_json.h.
#include "doca/argp_json.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace comch::doca {

namespace {

using Json = nlohmann::ordered_json;  // Callbacks are called in the order of the file.

doca_argp_type type_of(const Json& value) {
  if (value.is_string()) return DOCA_ARGP_TYPE_STRING;
  if (value.is_number_integer()) return DOCA_ARGP_TYPE_INT;
  if (value.is_boolean()) return DOCA_ARGP_TYPE_BOOLEAN;
  if (value.is_object()) return DOCA_ARGP_TYPE_JSON_OBJ;
  return DOCA_ARGP_TYPE_UNKNOWN;
}

ArgpFlag flag_of(const std::string& name, const Json& value, bool in_array) {
  return {.name = name,
          .type = type_of(value),
          .text = value.is_string() ? value.get<std::string>() : value.dump(),
          .in_array = in_array};
}

// The options of a section; false: it is no object.
bool read_section(const Json& file, const char* section, std::vector<ArgpFlag>& into) {
  const auto found = file.find(section);
  if (found == file.end()) return true;
  if (!found->is_object()) return false;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_array()) {
      into.push_back(flag_of(name, value, false));
      continue;
    }
    for (const Json& element : value) into.push_back(flag_of(name, element, true));
  }
  return true;
}

// Nothing: it cannot be read to its end. A stream says so where its buffer, which parsers read
// from, throws: a directory opens like any file.
std::optional<std::string> contents_of(const std::string& path) {
  std::ifstream stream(path);
  std::string text;
  std::array<char, 4096> part;
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  if (!stream.eof()) return std::nullopt;
  return text;
}

}  // namespace

std::expected<ArgpFile, std::string> read_argp_file(const std::string& path) {
  const std::optional<std::string> text = contents_of(path);
  if (!text) return std::unexpected(fmt::format("the file '{}' cannot be read", path));
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return std::unexpected(fmt::format("the file '{}' holds no JSON object", path));
  }
  ArgpFile file;
  for (const auto& [section, into] : {std::pair{"doca_general_flags", &file.general},
                                      std::pair{"doca_program_flags", &file.program}}) {
    if (!read_section(json, section, *into)) {
      return std::unexpected(fmt::format("'{}' in the file '{}' is no object", section, path));
    }
  }
  file.has_dpdk = json.contains("doca_dpdk_flags");
  return file;
}

}  // namespace comch::doca
