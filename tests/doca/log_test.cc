// doca_log: lines, sources and limits.
#include "comch/log.h"

#include <doca_log.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "doca/answers.h"
#include "doca/log_test_source.h"
#include "doca/logged.h"

DOCA_LOG_REGISTER(COMMON_TEST::CPP)

namespace comch::test {
namespace {

// How many of the six levels reach the backend; no line does at 10, all but TRACE, which is
// compiled out, at 70.
std::size_t lines_of_c() {
  heard().clear();
  say_from_c(7);
  return heard().size();
}

TEST(LogTest, ALineTellsTheLevelTheSourceAndThePlace) {
  in_process([] {
    listen();
    say_from_c(7);
    ASSERT_FALSE(heard().empty());
    EXPECT_TRUE(heard()[0].starts_with("[CRT][COMMON_TEST::C][log_test_source.c:")) << heard()[0];
    EXPECT_TRUE(heard()[0].ends_with("][say_from_c] crit 7\n")) << heard()[0];
    DOCA_LOG_WARN("%s and %d\n", "text", 3);
    EXPECT_TRUE(heard().back().starts_with("[WRN][COMMON_TEST::CPP][log_test.cc:"));
    EXPECT_TRUE(heard().back().ends_with("] text and 3\n"));
  });
}

TEST(LogTest, ALineBeginsWithTheTimeAndTheThread) {
  in_process([] {
    static char buffer[256];
    static std::string whole;
    doca_log_backend* backend = nullptr;
    const auto keep = [](char* line) { whole = line; };
    ASSERT_EQ(doca_log_backend_create_with_buf(buffer, sizeof buffer, keep, &backend),
              DOCA_SUCCESS);
    DOCA_LOG_INFO("now");
    EXPECT_EQ(whole.find("]["), std::string_view("[2026-01-31 17:05:09.123456").size());
    EXPECT_NE(whole.find("[" + std::to_string(gettid()) + "][INF]"), std::string::npos) << whole;
  });
}

TEST(LogTest, SourcesAreRegisteredBeforeOtherConstructors) {
  EXPECT_NE(source_seen_before_main(), 0);
}

TEST(LogTest, ALongLineIsWhole) {
  in_process([] {
    listen();
    const std::string text(3000, 'x');
    DOCA_LOG_INFO("%s", text.c_str());
    EXPECT_TRUE(heard().back().ends_with(" " + text + "\n"));
  });
}

TEST(LogTest, InfoIsTheLevelOfAProgramAtFirst) {
  in_process([] {
    EXPECT_EQ(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
    EXPECT_EQ(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_CRIT);
    EXPECT_EQ(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_WARNING);
    listen();
    EXPECT_EQ(lines_of_c(), 4u);
  });
}

TEST(LogTest, TheLowerLimitIsTheLeastGraveThatIsWritten) {
  in_process([] {
    doca_log_backend* backend = listen();
    const std::size_t expected[] = {0, 1, 2, 3, 4, 5, 5};
    for (uint32_t level = 10; level <= 70; level += 10) {
      EXPECT_EQ(doca_log_backend_set_level_lower_limit(backend, level), DOCA_SUCCESS);
      EXPECT_EQ(lines_of_c(), expected[level / 10 - 1]) << level;
    }
  });
}

TEST(LogTest, TheUpperLimitIsTheGravestThatIsWritten) {
  in_process([] {
    doca_log_backend* backend = listen();
    ASSERT_EQ(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_WARNING),
              DOCA_SUCCESS);
    EXPECT_EQ(lines_of_c(), 2u);  // WARNING and INFO.
  });
}

TEST(LogTest, AGlobalLimitIsOfAllBackendsAndThoseToCome) {
  in_process([] {
    listen();
    ASSERT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_ERROR);
    EXPECT_EQ(lines_of_c(), 2u);
    listen();
    EXPECT_EQ(lines_of_c(), 4u);
    ASSERT_EQ(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_ERROR);
    EXPECT_EQ(lines_of_c(), 2u);
  });
}

TEST(LogTest, AStrictLimitBecomesNarrowerOnly) {
  in_process([] {
    doca_log_backend* backend = listen();
    ASSERT_EQ(doca_log_backend_set_level_lower_limit_strict(backend), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_backend_set_level_upper_limit_strict(backend), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DEBUG),
              DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT),
              DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    EXPECT_EQ(lines_of_c(), 3u);  // ERROR, WARNING, INFO.
    EXPECT_EQ(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    EXPECT_EQ(lines_of_c(), 1u);
  });
}

TEST(LogTest, WhatIsNoLevelIsRefused) {
  in_process([] {
    doca_log_backend* backend = listen();
    for (const uint32_t level : {0u, 9u, 11u, 80u, UINT32_MAX}) {
      EXPECT_EQ(doca_log_backend_set_level_lower_limit(backend, level), kNo);
      EXPECT_EQ(doca_log_backend_set_level_upper_limit(backend, level), kNo);
      EXPECT_EQ(doca_log_backend_set_sdk_level(backend, level), kNo);
      EXPECT_EQ(doca_log_level_set_global_lower_limit(level), kNo);
      EXPECT_EQ(doca_log_level_set_global_upper_limit(level), kNo);
      EXPECT_EQ(doca_log_level_set_global_sdk_limit(level), kNo);
      EXPECT_EQ(doca_log(level, log_source, "f", 1, "g", "text"), kNo);
    }
    EXPECT_EQ(doca_log(DOCA_LOG_LEVEL_DISABLE, log_source, "f", 1, "g", "text"), kNo);
  });
}

TEST(LogTest, NullIsRefused) {
  in_process([] {
    int source = 0;
    const char* const null = nullptr;
    EXPECT_EQ(doca_log_backend_set_level_lower_limit(nullptr, 50), kNo);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit(nullptr, 50), kNo);
    EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(nullptr), kNo);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(nullptr), kNo);
    EXPECT_EQ(doca_log_backend_set_sdk_level(nullptr, 50), kNo);
    EXPECT_EQ(doca_log_register_source(nullptr, &source), kNo);
    EXPECT_EQ(doca_log_register_source("SOURCE", nullptr), kNo);
    EXPECT_EQ(doca_log(50, log_source, null, 1, "g", "text"), kNo);
    EXPECT_EQ(doca_log(50, log_source, "f", 1, null, "text"), kNo);
    EXPECT_EQ(doca_log(50, log_source, "f", 1, "g", null), kNo);
  });
}

TEST(LogTest, ASourceThatLeftHasNoNameUntilItsNumberIsGivenAgain) {
  in_process([] {
    listen();
    int source = 0;
    ASSERT_EQ(doca_log_register_source("SHORT_LIVED", &source), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_unregister_source(source), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_unregister_source(source), DOCA_ERROR_NOT_FOUND);
    for (const int unknown : {source, 0, -1, 999}) {
      EXPECT_EQ(doca_log(50, unknown, "f", 1, "g", "text"), DOCA_SUCCESS);
      EXPECT_EQ(heard().back(), "[INF][unknown][f:1][g] text\n");
    }
    int again = 0;
    ASSERT_EQ(doca_log_register_source("NEXT", &again), DOCA_SUCCESS);
    EXPECT_EQ(again, source);
    EXPECT_EQ(doca_log_unregister_source(-1), DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(doca_log_unregister_source(0), DOCA_ERROR_NOT_FOUND);
  });
}

TEST(LogTest, TheLibrarysLinesGoToSdkBackendsAlone) {
  in_process([] {
    listen();
    listen(true);
    log(LogLevel::kWarning, "from the library");
    ASSERT_EQ(heard().size(), 1u);
    EXPECT_EQ(heard()[0], "[WRN][COMCH] from the library\n");
    DOCA_LOG_INFO("from the program");
    EXPECT_EQ(heard().size(), 2u);
  });
}

TEST(LogTest, TheSdkLevelIsWhatTheLibrarySays) {
  in_process([] {
    doca_log_backend* backend = listen(true);
    const std::size_t expected[] = {0, 0, 1, 2, 3, 4, 4};
    for (uint32_t level = 10; level <= 70; level += 10) {
      heard().clear();
      ASSERT_EQ(doca_log_backend_set_sdk_level(backend, level), DOCA_SUCCESS);
      log(LogLevel::kError, "e");
      log(LogLevel::kWarning, "w");
      log(LogLevel::kInfo, "i");
      log(LogLevel::kDebug, "d");
      EXPECT_EQ(heard().size(), expected[level / 10 - 1]) << level;
    }
  });
}

TEST(LogTest, TheGlobalSdkLimitIsOfAllSdkBackendsAndThoseToCome) {
  in_process([] {
    ASSERT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_INFO);
    listen(true);
    log(LogLevel::kInfo, "i");
    EXPECT_EQ(heard().size(), 1u);
    ASSERT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    log(LogLevel::kDebug, "d");
    EXPECT_EQ(heard().size(), 2u);
  });
}

TEST(LogTest, EachKindOfBackendHasItsOwnLimits) {
  in_process([] {
    doca_log_backend* program = listen();
    doca_log_backend* sdk = listen(true);
    EXPECT_EQ(doca_log_backend_set_sdk_level(program, 50), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_backend_set_level_lower_limit(sdk, 50), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit(sdk, 50), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(sdk), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(sdk), DOCA_ERROR_NOT_PERMITTED);
  });
}

TEST(LogTest, WhatAHandlerLogsItselfIsDropped) {
  in_process([] {
    static char buffer[256];
    static int calls = 0;
    doca_log_backend* backend = nullptr;
    const auto log_again = [](char*) {
      ++calls;
      DOCA_LOG_CRIT("from the handler");
    };
    ASSERT_EQ(doca_log_backend_create_with_buf(buffer, sizeof buffer, log_again, &backend),
              DOCA_SUCCESS);
    DOCA_LOG_INFO("once");
    EXPECT_EQ(calls, 1);
  });
}

}  // namespace
}  // namespace comch::test
