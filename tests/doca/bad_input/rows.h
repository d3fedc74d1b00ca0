// Rows: bad input for the C API, one row for each setter and for each argument that is a number,
// held against the list of all there are (headers/bad_input_list.h).
//
//   try_setters({{"doca_x_set_size", [&](auto n) { return doca_x_set_size(x, n); }, size_of_x}},
//               {open("idle", [] {}), shut("running", start), open("idle again", stop)});
//   try_number("doca_x_set_size", "size", {.zero = kNo, .most = 1024},
//              [&](auto n) { return doca_x_set_size(x, n); }, size_of_x);
//
// A program of these tests fails if it has no row of a setter or of a number, if a row is of
// neither, and if a setter's row was never refused though it is said to be.
//
// Threads: one. Lifetime: what was tried is remembered until the program ends.
#pragma once

#include <doca_error.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "doca/answers.h"

namespace comch::test {

using Set = std::function<doca_error_t(std::uint64_t)>;
using Get = std::function<std::uint64_t()>;

// A state that an object is brought to, and whether it may be configured there.
struct Stage {
  std::string name;
  std::function<void()> reach;
  bool is_open;
};
inline Stage open(std::string name, std::function<void()> reach) {
  return {std::move(name), std::move(reach), true};
}
inline Stage shut(std::string name, std::function<void()> reach) {
  return {std::move(name), std::move(reach), false};
}

// `set` is given 1 or 2, and makes two values of them that it may have; `get` answers which it
// has. Without a getter it is given 1 where that is to work, and 2 where it is to be refused, which
// the test must then never see.
struct Setter {
  const char* function;
  Set set;
  Get get = {};
  doca_error_t shut = kNotNow;  // kYes: it may be called in any state.
  doca_error_t open = kYes;
};

// A setter that answers nothing: whether it did anything is its answer.
Setter silent(const char* function, const std::function<void(std::uint64_t)>& set, const Get& get,
              doca_error_t shut = kNotNow);

// Each setter in each stage, in this order. The last stage is open: there everything works, and
// nothing is lost.
void try_setters(const std::vector<Setter>& setters, const std::vector<Stage>& stages);

// What is answered of 0, of the most there may be, and of all above it; what is refused changes
// nothing. kAny: there is nothing above it.
inline constexpr std::uint64_t kAny = UINT64_MAX;
struct Bounds {
  doca_error_t zero = kYes;
  std::uint64_t most = kAny;
  doca_error_t at_most = kYes;
  doca_error_t above = kNo;
  doca_error_t negative = kNo;  // Of a signed number.
};
void try_number(const char* function, const char* argument, const Bounds& bounds, const Set& set,
                const Get& get = {});

}  // namespace comch::test
