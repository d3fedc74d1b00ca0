/* doca_compat.h: what every header of this API stands on.
 *
 * Programs count on string.h, stdint.h, stdlib.h and assert.h coming with it. */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <doca_common_defines.h>
#include <doca_config.h>
#include <doca_version.h>

#endif
