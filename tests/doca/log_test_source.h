/* log_test_source: see log_test_source.c. */
#ifndef LOG_TEST_SOURCE_H_
#define LOG_TEST_SOURCE_H_

#ifdef __cplusplus
extern "C" {
#endif

/* One line of each level, with `number` in the gravest. */
void say_from_c(int number);
/* What the source's number was in a constructor; 0: it was not registered. */
int source_seen_before_main(void);

#ifdef __cplusplus
}
#endif

#endif
