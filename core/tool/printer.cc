// Printer: the three formats, and what happens when standard output is full or gone.
#include "tool/printer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace comch::tool {
namespace {

std::string hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(bytes.size() * 2);
  for (char byte : bytes) {
    fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
  }
  return digits;
}

std::string json_line(ConnectionId from, std::string_view message) {
  nlohmann::ordered_json line{{"connection", static_cast<std::uint64_t>(from)},
                              {"size", message.size()}};
  try {
    line["text"] = message;
    return line.dump() + '\n';
  } catch (const nlohmann::json::type_error&) {  // Not UTF-8.
    line.erase("text");
    line["hex"] = hex(message);
    return line.dump() + '\n';
  }
}

}  // namespace

void Printer::print(ConnectionId from, std::span<const std::byte> message) {
  if (failed()) return;
  const std::string_view bytes(reinterpret_cast<const char*>(message.data()), message.size());
  std::string line;
  switch (format_) {
    case Format::kRaw:
      line = bytes;
      break;
    case Format::kJson:
      line = json_line(from, bytes);
      break;
    case Format::kText:
      if (tagged_) line = fmt::format("conn{} ", static_cast<std::uint64_t>(from));
      line += bytes;
      line += '\n';
      break;
  }
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0) {
    failure_ = errno;
    return;
  }
  ++printed_;
}

Outcome<> Printer::outcome() const {
  if (!failed()) return {};
  return complain_of_output(failure_);
}

}  // namespace comch::tool
