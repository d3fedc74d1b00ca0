/* msgq_echo_device: what the program and its device function share. */
#ifndef MSGQ_ECHO_DEVICE_H_
#define MSGQ_ECHO_DEVICE_H_

#include <doca_dpa.h>
#include <stdint.h>

/* The accelerator's ends of both queues, in its memory. */
struct echo_arguments {
  uint64_t arrivals; /* What tells of messages, and the consumer they come to. */
  uint64_t consumer;
  uint64_t producer;
  uint32_t answers_to; /* The consumer on the CPU. */
};

/* Called once, at first: makes room for so many messages to the consumer. */
uint64_t msgq_echo_post(uint64_t consumer, uint32_t count);

/* Sends every message back; its argument is the address of its echo_arguments. */
void msgq_echo(uint64_t arguments);

#endif
