/* cc_callbacks: what a C program of 2.5 registers, and says nothing of its age. */
#ifndef DOCA_TEST_CC_CALLBACKS_H_
#define DOCA_TEST_CC_CALLBACKS_H_

#include <doca_cc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message callback of 2.5, which keeps the length of the last message. */
doca_error_t register_message_of_2_5(struct doca_cc_server* server);
size_t last_message_of_2_5(void);
/* Connection callbacks of 2.5. */
doca_error_t register_connections_of_2_5(struct doca_cc_server* server);

#ifdef __cplusplus
}
#endif

#endif
