// Complaint: the words for a failure, and the advice that goes with each code.
#include "tool/complaint.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

namespace comch::tool {
namespace {

// What the user can do about a failure; empty when the sentence says it already.
std::string_view advice(Errc code) {
  switch (code) {
    case Errc::not_found:
      return "`comch ls` shows what there is";
    case Errc::already_exist:
      return "choose another name, or end the server that has it";
    case Errc::authentication:
      return "its owner has to admit your user or group";
    case Errc::full:
      return "wait until a client leaves, or raise the server's limit";
    case Errc::bad_config:
      return "correct the file that COMCH_DEVICES names, or /etc/comch/devices.toml";
    case Errc::unsupported_version:
      return "run the same version of comch on both ends";
    case Errc::time_out:
      return "the server is there but does not answer; is it stopped?";
    case Errc::too_big:
      return "--max-message-size, the same on both ends, allows longer messages";
    case Errc::connection_reset:
      return "the other end has died; start it again";
    default:
      return "";
  }
}

std::unexpected<Complaint> compose(std::string_view what, std::string_view why, Errc code) {
  std::string text = fmt::format("{}: {}", what, why);
  if (std::string_view hint = advice(code); !hint.empty()) {
    text += "; ";
    text += hint;
  }
  return std::unexpected(Complaint{std::move(text)});
}

// The library's sentence without its closing full stop, or else the code's word.
std::string sentence(const Error& error) {
  std::string why = *error.what != '\0' ? error.what : std::string(name(error.code));
  while (why.ends_with('.')) why.pop_back();
  if (error.sys != 0) why += fmt::format(" ({})", std::strerror(error.sys));
  return why;
}

}  // namespace

std::unexpected<Complaint> complain(std::string_view what, const Error& error) {
  return compose(what, sentence(error), error.code);
}

std::unexpected<Complaint> complain(std::string_view what, const Failure& failure) {
  if (failure.text.empty()) return complain(what, failure.error);
  std::string why = failure.text;
  while (why.ends_with('.')) why.pop_back();
  return compose(what, why, failure.error.code);
}

std::unexpected<Complaint> complain(std::string text) {
  return std::unexpected(Complaint{std::move(text)});
}

std::unexpected<Complaint> complain_of_output(int failure) {
  return complain("cannot write to standard output",
                  Error{.code = Errc::operating_system, .sys = failure});
}

void tell(std::string_view text) { std::ignore = std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace comch::tool
