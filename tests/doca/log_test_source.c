/* log_test_source: a source file of a C program that logs, also before main(). */
#include "doca/log_test_source.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(COMMON_TEST::C)

static int source_before_main;

/* Constructors that register sources run first. */
__attribute__((constructor(102))) static void look_before_main(void) {
  source_before_main = log_source;
  DOCA_LOG_INFO("nobody listens yet");
}

int source_seen_before_main(void) { return source_before_main; }

void say_from_c(int number) {
  DOCA_LOG_CRIT("crit %d", number);
  DOCA_LOG_ERR("err");
  DOCA_LOG_WARN("warn");
  DOCA_LOG_INFO("info");
  DOCA_LOG_DBG("dbg");
  DOCA_LOG_TRC("trc %d", number);
}
