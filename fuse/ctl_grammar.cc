// The language of the ctl files; see ctl_grammar.h.
#include "ctl_grammar.h"

#include <fmt/format.h>

#include <algorithm>

namespace comch::fuse {
namespace {

using Words = std::vector<std::string>;

// Of one write. An order takes up to a millisecond, in which nobody else is served.
constexpr std::size_t kOrdersMax = 64;

bool is_space(char c) { return c == ' ' || c == '\t'; }

// Takes one quoted piece off the front of `line`, which begins behind the opening quote.
std::expected<std::string, std::string> take_quoted(std::string_view& line) {
  std::string piece;
  while (true) {
    const std::size_t quote = line.find('\'');
    if (quote == line.npos) return std::unexpected("a quote is never closed");
    piece += line.substr(0, quote);
    line.remove_prefix(quote + 1);
    if (!line.starts_with('\'')) return piece;
    piece += '\'';
    line.remove_prefix(1);
  }
}

// Takes one word off the front of `line`, which does not begin with a space.
std::expected<std::string, std::string> take_word(std::string_view& line) {
  std::string word;
  while (!line.empty() && !is_space(line.front())) {
    const char c = line.front();
    line.remove_prefix(1);
    if (c != '\'') {
      word += c;
      continue;
    }
    auto piece = take_quoted(line);
    if (!piece) return piece;
    word += *piece;
  }
  return word;
}

std::expected<Words, std::string> split(std::string_view line) {
  Words words;
  while (true) {
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    if (line.empty()) return words;
    auto word = take_word(line);
    if (!word) return std::unexpected(word.error());
    words.push_back(std::move(*word));
  }
}

}  // namespace

std::expected<std::vector<Order>, std::string> parse_orders(std::string_view text) {
  if (text.find('\0') != text.npos) return std::unexpected("there is a NUL byte in it");
  std::vector<Order> orders;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto words = split(text.substr(0, end));
    if (!words) return std::unexpected(words.error());
    if (!words->empty()) {
      if (orders.size() == kOrdersMax) return std::unexpected("more than 64 orders in one write");
      Order order{std::move(words->front()), {}};
      order.arguments.assign(std::make_move_iterator(words->begin() + 1),
                             std::make_move_iterator(words->end()));
      orders.push_back(std::move(order));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return orders;
}

std::string objection_to(const Order& order, std::string_view usage) {
  while (!usage.empty()) {
    const std::string_view line = usage.substr(0, usage.find('\n'));
    if (line.substr(0, line.find(' ')) == order.verb) {
      return fmt::format("it is written `{}`", line);
    }
    usage.remove_prefix(std::min(line.size() + 1, usage.size()));
  }
  return "no such order; read ctl for those there are";
}

}  // namespace comch::fuse
