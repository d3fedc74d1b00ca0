// The language of the ctl files: one order per line.
//
//   order := verb (SP argument)*          verb and arguments are words
//   word  := plain characters, or '...' where '' stands for one quote
//
//   parse_orders("disconnect conn3\nset name 'it''s'\n")
//     == {{"disconnect", "conn3"}, {"set", "name", "it's"}}
//
// Empty lines say nothing. Nothing of a text runs unless all of it can be read.
//
// Threads: a pure function.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace comch::fuse {

struct Order {
  std::string verb;
  std::vector<std::string> arguments;

  bool operator==(const Order&) const = default;
};

// The error is a sentence for people: a quote that never ends, or a NUL byte.
std::expected<std::vector<Order>, std::string> parse_orders(std::string_view text);

// Why `order` was not understood, where `usage` has a line for each that would have been: how its
// verb is used, or that there is no such verb.
std::string objection_to(const Order& order, std::string_view usage);

}  // namespace comch::fuse
