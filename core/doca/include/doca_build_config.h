/* doca_build_config.h: which side of the channel a program is compiled for.
 *
 * Programs choose their role at compile time by DOCA_ARCH_HOST or DOCA_ARCH_DPU. Build with
 * -DDOCA_ARCH_DPU for the DPU's side; the host's is the default. */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#if !defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)
#define DOCA_ARCH_HOST
#endif

#endif
