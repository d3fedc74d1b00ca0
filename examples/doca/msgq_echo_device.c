/* msgq_echo_device: the device function: run for each arrival, it sends every message back. */
#include "msgq_echo_device.h"

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>

__dpa_rpc__ uint64_t msgq_echo_post(uint64_t consumer, uint32_t count) {
  doca_dpa_dev_comch_consumer_ack(consumer, count);
  return 0;
}

__dpa_global__ void msgq_echo(uint64_t arguments) {
  const struct echo_arguments *const echo = (const struct echo_arguments *)arguments;
  doca_dpa_dev_comch_consumer_completion_element_t element;
  uint32_t count = 0;
  while (doca_dpa_dev_comch_consumer_get_completion(echo->arrivals, &element)) {
    uint32_t length = 0;
    const uint8_t *const message = doca_dpa_dev_comch_consumer_get_completion_imm(element, &length);
    doca_dpa_dev_comch_producer_post_send_imm_only(
        echo->producer, echo->answers_to, message, length,
        DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
    ++count;
  }
  doca_dpa_dev_comch_consumer_completion_ack(echo->arrivals, count);
  doca_dpa_dev_comch_consumer_completion_request_notification(echo->arrivals);
  doca_dpa_dev_comch_consumer_ack(echo->consumer, count);
  doca_dpa_dev_thread_reschedule();
}
