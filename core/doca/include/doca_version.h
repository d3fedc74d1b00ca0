/* doca_version.h: the version of the documented API that these headers follow. */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <doca_common_defines.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 0
#define DOCA_VERSION_PATCH 58
#define DOCA_VERSION_STRING "3.0.0058"

/* A version as one number that compares. */
#define DOCA_VERSION_CALC(major, minor, patch) \
  (((UINT64_C(0) + (major)) << 24) | ((UINT64_C(0) + (minor)) << 16) | (UINT64_C(0) + (patch)))
#define DOCA_CURRENT_VERSION_EXACT \
  DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)
#define DOCA_VERSION_EXACT DOCA_CURRENT_VERSION_EXACT

/* Is the given version this one; this one or an older one. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
  (DOCA_VERSION_CALC(major, minor, patch) == DOCA_CURRENT_VERSION_EXACT)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
  (DOCA_VERSION_CALC(major, minor, patch) <= DOCA_CURRENT_VERSION_EXACT)

/* The version of the headers that the program was compiled with. Lives for ever. */
static inline const char *doca_version(void) { return DOCA_VERSION_STRING; }

/* The version of the library that it runs with. Lives for ever. */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
