/* doca_log.h: lines for people, from the program and from the library.
 *
 *   DOCA_LOG_REGISTER(MY_PROGRAM::MAIN);                      once in each source file
 *   doca_log_backend_create_standard();                       what the program says
 *   doca_log_backend_create_with_file_sdk(stderr, &backend);  what the library says
 *   doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING);
 *   DOCA_LOG_INFO("%u messages", count);
 *
 *   [2026-01-31 17:05:09.123456][4711][INF][MY_PROGRAM::MAIN][main.c:42][main] 3 messages
 *
 * A line goes to every backend whose limits let it through. The lower limit is the least grave
 * level that is written: WARNING lets WARNING, ERROR and CRIT through. The upper limit is the
 * gravest: INFO lets INFO, DEBUG and TRACE through. A global limit sets that of every backend,
 * and of those to come. A limit that is strict can only be made narrower from then on.
 * Backends made by *_sdk functions get the library's lines alone; the others get the program's
 * alone. As long as there is no SDK backend the library's warnings go to standard error.
 *
 * Every level is one of enum doca_log_level. INVALID_VALUE: it is not, or a pointer is NULL.
 * NOT_PERMITTED: a strict limit. NO_MEMORY.
 *
 * Threads: any.
 * Lifetime: backends and sources live as long as the program; what a backend writes to must too.
 * May be called before main(), from constructors of any priority.
 * Follows DOCA Log 3.0. */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum doca_log_level {
  DOCA_LOG_LEVEL_DISABLE = 10,
  DOCA_LOG_LEVEL_CRIT = 20,
  DOCA_LOG_LEVEL_ERROR = 30,
  DOCA_LOG_LEVEL_WARNING = 40,
  DOCA_LOG_LEVEL_INFO = 50,
  DOCA_LOG_LEVEL_DEBUG = 60,
  DOCA_LOG_LEVEL_TRACE = 70
};

struct doca_log_backend;

/* Called for each line with the buffer of a backend, closed by a NUL and cut to its capacity.
 * What it logs itself is dropped, and of the library it may call nothing else. */
typedef void (*log_flush_callback)(char *buf);

/* The limits of one backend. NOT_PERMITTED, too: it is an SDK backend. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/* The limits of all backends for the program's lines. At first INFO and CRIT. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/* A source is a name that lines carry. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);
/* NOT_FOUND: there is no such source. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/* Backends for the program's lines. The FILE, the descriptor and the buffer stay the program's.
 * INVALID_VALUE: no open descriptor, a capacity below 2, no handler. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);
/* ALREADY_EXIST: a process has one connection to syslog, and it is of another name. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);

/* The same for the library's lines. NOT_PERMITTED of the level: it is no SDK backend. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/* The level of every SDK backend, and of those to come. At first WARNING. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/* Standard output for INFO and below, standard error for what is worse. Making it twice is no
 * error and changes nothing. */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/* One line; the macros below call it. INVALID_VALUE: DISABLE, which is no line's level. */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus

/* Names a source. */
class doca_log_registrator {
 public:
  DOCA_EXPERIMENTAL doca_log_registrator(const char *source_name, int &log_source) noexcept;
};

#define DOCA_LOG_REGISTER(source) \
  static int log_source;          \
  static doca_log_registrator doca_log_registered_(#source, log_source);

#else

/* Programs write a semicolon behind DOCA_LOG_REGISTER(), or none. Both are right after a
 * function, but for pedantic warnings of the first, which cannot be ended behind it. */
#ifdef __clang__
#define DOCA_LOG_SEMICOLON_ _Pragma("clang diagnostic ignored \"-Wextra-semi\"")
#else
#define DOCA_LOG_SEMICOLON_ _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#endif

/* Runs before every constructor without a priority, so that these may log. */
#define DOCA_LOG_REGISTER(source)                                                      \
  static int log_source;                                                               \
  static void DOCA_USED __attribute__((constructor(101))) doca_log_registered_(void) { \
    doca_log_register_source(#source, &log_source);                                    \
  }                                                                                    \
  DOCA_LOG_SEMICOLON_

#endif

#define DOCA_LOG(level, ...) \
  doca_log((level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Compiled out, but for the check of its words, unless -DDOCA_LOGGING_ALLOW_TRACE is given. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...)                               \
  do {                                                  \
    if (0) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__); \
  } while (0)
#endif

#endif
