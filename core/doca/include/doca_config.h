/* doca_config.h: the build's configuration; see doca_build_config.h. */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

#endif
