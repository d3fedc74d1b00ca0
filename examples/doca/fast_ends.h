/* fast_ends: a consumer and a producer of a connection, for one message each way through the fast
 * path. Both sides of the example are the same in this.
 *
 *   fast_ends_begin(&ends, connection, dev, &loop, "hello");
 *   ends.remote_consumer = ...;                        of the consumer event
 *   while (!fast_ends_are_done(&ends)) fast_ends_run(&ends);
 *   fast_ends_end(&ends);
 *
 * Threads: one; a program may give the ends an engine and a thread of their own.
 * Lifetime: from begin to end, while the connection lasts. */
#ifndef FAST_ENDS_H_
#define FAST_ENDS_H_

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>
#include <stdbool.h>

#include "example.h"

/* Memory that the devices know of, and one buffer in it. */
struct fast_memory {
  struct doca_mmap *mmap;
  struct doca_buf *buf;
};

struct fast_ends {
  struct example_loop *loop;
  struct doca_buf_inventory *inventory;
  struct fast_memory outgoing;
  struct fast_memory incoming;
  char *room; /* What the other side writes into. */
  struct doca_comch_consumer *consumer;
  struct doca_comch_producer *producer;
  struct doca_comch_producer_task_send *message;
  uint32_t remote_consumer; /* 0: the other side has none yet. */
  bool is_posted;           /* The consumer can be sent to. */
  bool is_submitted;        /* The message is the library's. */
  bool is_sent;
  bool is_received;
  doca_error_t result;
};

doca_error_t fast_ends_begin(struct fast_ends *ends, struct doca_comch_connection *connection,
                             struct doca_dev *dev, struct example_loop *loop, const char *text);
/* Does what can be done now, and runs the engine. */
doca_error_t fast_ends_run(struct fast_ends *ends);
bool fast_ends_are_done(const struct fast_ends *ends);
/* Of ends that were begun, however far; of others nothing. */
void fast_ends_end(struct fast_ends *ends);

#endif
