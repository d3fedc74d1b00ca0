// Rows: see rows.h.
#include "doca/bad_input/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "doca/headers/bad_input_list.h"

namespace comch::test {

namespace {

const std::span kSetters(setters, setter_count);
const std::span kNumbers(number_arguments, number_argument_count);

std::string name_of(const std::string& function, const std::string& argument) {
  return function + "(" + argument + ")";
}

std::string said(doca_error_t error) { return doca_error_get_name(error); }

// What has rows that were tried.
struct Coverage : testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*") return;  // Some of the tests are no proof of all.
    for (const char* setter : kSetters) {
      EXPECT_TRUE(tried.contains(setter)) << setter << " was not called in a wrong state";
    }
    for (const number_argument& number : kNumbers) {
      const std::string name = name_of(number.function, number.argument);
      EXPECT_TRUE(tried.contains(name)) << name << " was not given 0, its most and more";
    }
  }
  std::set<std::string> tried;
};
Coverage& coverage() {
  static Coverage* const all = new Coverage;  // gtest deletes it.
  return *all;
}
[[maybe_unused]] const auto* const kKnownToGtest = testing::AddGlobalTestEnvironment(&coverage());

void try_setter(const Setter& setter, const Stage& stage) {
  const doca_error_t expected = stage.is_open ? setter.open : setter.shut;
  const std::uint64_t before = setter.get ? setter.get() : 0;
  const std::uint64_t unread = expected == kYes ? 1 : 2;
  const std::uint64_t value = setter.get ? (before == 1 ? 2 : 1) : unread;
  EXPECT_EQ(said(setter.set(value)), said(expected)) << setter.function;
  if (!setter.get) return;
  EXPECT_EQ(setter.get(), expected == kYes ? value : before) << setter.function;
}

}  // namespace

Setter silent(const char* function, const std::function<void(std::uint64_t)>& set, const Get& get,
              doca_error_t shut) {
  const Set answering = [=](std::uint64_t value) {
    set(value);
    return get() == value ? kYes : kNotNow;
  };
  return {function, answering, get, shut};
}

void try_setters(const std::vector<Setter>& setters, const std::vector<Stage>& stages) {
  ASSERT_TRUE(stages.back().is_open);
  const bool is_ever_shut = !std::ranges::all_of(stages, &Stage::is_open);
  for (const Stage& stage : stages) {
    SCOPED_TRACE(stage.name);
    stage.reach();
    if (testing::Test::HasFatalFailure()) return;
    for (const Setter& setter : setters) try_setter(setter, stage);
  }
  for (const Setter& setter : setters) {
    EXPECT_TRUE(is_ever_shut || setter.shut == kYes) << setter.function;
    const auto is_it = [&](std::string_view listed) { return listed == setter.function; };
    EXPECT_TRUE(std::ranges::any_of(kSetters, is_it)) << setter.function << " is no setter";
    coverage().tried.insert(setter.function);
  }
}

void try_number(const char* function, const char* argument, const Bounds& bounds, const Set& set,
                const Get& get) {
  const std::string name = name_of(function, argument);
  SCOPED_TRACE(name);
  const auto known = std::ranges::find_if(kNumbers, [&](const number_argument& number) {
    return name_of(number.function, number.argument) == name;
  });
  ASSERT_NE(known, kNumbers.end()) << "is no argument that is a number";
  coverage().tried.insert(name);
  const auto give = [&](std::uint64_t value, doca_error_t expected) {
    const std::uint64_t before = get ? get() : 0;
    EXPECT_EQ(said(set(value)), said(expected)) << value;
    if (!get) return;
    EXPECT_EQ(get(), expected == kYes ? value : before) << value;
  };
  const std::uint64_t most = bounds.most == kAny ? known->most : bounds.most;
  ASSERT_LE(most, known->most);
  give(most, bounds.at_most);
  give(0, bounds.zero);
  if (most < known->most) {
    give(most + 1, bounds.above);
    give(known->most, bounds.above);
  }
  if (known->is_signed != 0) give(static_cast<std::uint64_t>(-1), bounds.negative);
  give(most, bounds.at_most);
}

}  // namespace comch::test
