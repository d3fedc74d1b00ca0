// Backends of the log: limits in every state, of both kinds.
#include "doca/bad_input/rows.h"
#include "doca/logged.h"

namespace comch::test {
namespace {

constexpr auto kNever = DOCA_ERROR_NOT_PERMITTED;

// Which level a line of the program must have to reach the backend.
TEST(LogStatesTest, AStrictLimitIsNoLongerWidened) {
  doca_log_backend* backend = nullptr;
  const auto make = [&] { backend = listen(); };
  const auto make_strict = [&] {
    make();
    EXPECT_EQ(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR), kYes);
    EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(backend), kYes);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(backend), kYes);
  };
  // Wider than what make_strict() makes strict.
  const Setter lower{
      "doca_log_backend_set_level_lower_limit",
      [&](auto) { return doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DEBUG); },
      {},
      kNever};
  const Setter upper{
      "doca_log_backend_set_level_upper_limit",
      [&](auto) { return doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT); },
      {},
      kNever};
  try_setters({lower, upper},
              {open("made", make), shut("strict", make_strict), open("another", make)});
}

TEST(LogStatesTest, ABackendOfTheLibraryHasOneLevelAndOneOfTheProgramTwo) {
  doca_log_backend* backend = nullptr;
  const auto of_program = [&] { backend = listen(); };
  const auto of_library = [&] { backend = listen(true); };
  const auto row = [&](const char* function, const Set& set) {
    return Setter{function, set, {}, kNever};
  };
  try_setters({row("doca_log_backend_set_level_lower_limit",
                   [&](auto) {
                     return doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO);
                   }),
               row("doca_log_backend_set_level_upper_limit",
                   [&](auto) {
                     return doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT);
                   }),
               row("doca_log_backend_set_level_lower_limit_strict",
                   [&](auto) { return doca_log_backend_set_level_lower_limit_strict(backend); }),
               row("doca_log_backend_set_level_upper_limit_strict",
                   [&](auto) { return doca_log_backend_set_level_upper_limit_strict(backend); })},
              {shut("of the library", of_library), open("of the program", of_program)});
  try_setters(
      {row("doca_log_backend_set_sdk_level",
           [&](auto) { return doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE); })},
      {shut("of the program", of_program), open("of the library", of_library)});
}

}  // namespace
}  // namespace comch::test
