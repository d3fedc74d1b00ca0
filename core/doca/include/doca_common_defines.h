/* doca_common_defines.h: how declarations of this API are marked.
 *
 * DOCA_STABLE        the function keeps its shape
 * DOCA_EXPERIMENTAL  it may change; its use is warned of unless DOCA_ALLOW_EXPERIMENTAL_API is
 *                    defined before the first header
 * DOCA_DEPRECATED    it will go; its use is warned of unless DOCA_ALLOW_DEPRECATED_API is
 * DOCA_USED          the declaration is kept even if nothing refers to it */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#define DOCA_USED __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default")))

#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED __attribute__((visibility("default")))
#else
#define DOCA_DEPRECATED __attribute__((visibility("default"), deprecated("will be removed")))
#endif

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((visibility("default")))
#else
#define DOCA_EXPERIMENTAL               \
  __attribute__((visibility("default"), \
                 deprecated("experimental: define DOCA_ALLOW_EXPERIMENTAL_API to use it")))
#endif

#endif
