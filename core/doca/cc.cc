// What doca_cc.h has besides servers and clients: limits, connections, tasks; see cc.h.
#include "doca/cc.h"

using comch::doca::newer;
using comch::doca::older;

// --- Limits ------------------------------------------------------------------------------

doca_error_t doca_cc_cap_get_max_name_len(const doca_devinfo* devinfo, uint32_t* max_name_len) {
  return doca_comch_cap_get_max_name_len(devinfo, max_name_len);
}

doca_error_t doca_cc_cap_get_max_msg_size(const doca_devinfo* devinfo, uint32_t* size) {
  return doca_comch_cap_get_max_msg_size(devinfo, size);
}

doca_error_t doca_cc_cap_get_max_recv_queue_size(const doca_devinfo* devinfo, uint32_t* size) {
  return doca_comch_cap_get_max_recv_queue_size(devinfo, size);
}

doca_error_t doca_cc_cap_get_max_clients(const doca_devinfo* devinfo, uint32_t* num_clients) {
  return doca_comch_cap_get_max_clients(devinfo, num_clients);
}

doca_error_t doca_cc_cap_get_max_send_tasks(const doca_devinfo* devinfo, uint32_t* max_send_tasks) {
  return doca_comch_cap_get_max_send_tasks(devinfo, max_send_tasks);
}

doca_error_t doca_cc_cap_server_is_supported(const doca_devinfo* devinfo) {
  return doca_comch_cap_server_is_supported(devinfo);
}

doca_error_t doca_cc_cap_client_is_supported(const doca_devinfo* devinfo) {
  return doca_comch_cap_client_is_supported(devinfo);
}

// --- Connections -------------------------------------------------------------------------

doca_error_t doca_cc_connection_set_user_data(doca_cc_connection* connection, doca_data user_data) {
  return doca_comch_connection_set_user_data(newer(connection), user_data);
}

doca_data doca_cc_connection_get_user_data(const doca_cc_connection* connection) {
  return doca_comch_connection_get_user_data(newer(connection));
}

doca_cc_server* doca_cc_server_get_server_ctx(const doca_cc_connection* connection) {
  return older<doca_cc_server>(doca_comch_server_get_server_ctx(newer(connection)));
}

doca_cc_client* doca_cc_client_get_client_ctx(const doca_cc_connection* connection) {
  return older<doca_cc_client>(doca_comch_client_get_client_ctx(newer(connection)));
}

doca_error_t doca_cc_connection_update_info(doca_cc_connection* cc_connection) {
  return doca_comch_connection_update_info(newer(cc_connection));
}

static_assert(DOCA_CC_COUNTER_SENT_MESSAGES == int{DOCA_COMCH_COUNTER_SENT_MESSAGES} &&
              DOCA_CC_COUNTER_SENT_BYTES == int{DOCA_COMCH_COUNTER_SENT_BYTES} &&
              DOCA_CC_COUNTER_RECV_MESSAGES == int{DOCA_COMCH_COUNTER_RECV_MESSAGES} &&
              DOCA_CC_COUNTER_RECV_BYTES == int{DOCA_COMCH_COUNTER_RECV_BYTES});

doca_error_t doca_cc_connection_get_counter(const doca_cc_connection* cc_connection,
                                            doca_cc_counter counter_type, uint64_t* counter_value) {
  // As a number: what a C program passes need not be one of the names. None has 0.
  const auto number = std::bit_cast<std::uint32_t>(counter_type);
  const bool is_named = number <= DOCA_COMCH_COUNTER_RECV_BYTES;
  const auto counter = std::bit_cast<doca_comch_counter>(is_named ? number : 0U);
  return doca_comch_connection_get_counter(newer(cc_connection), counter, counter_value);
}

// --- Tasks -------------------------------------------------------------------------------

doca_task* doca_cc_task_send_as_task(doca_cc_task_send* task) {
  return doca_comch_task_send_as_task(newer(task));
}

doca_task* doca_cc_send_task_as_task(doca_cc_send_task* task) {
  return doca_comch_task_send_as_task(newer(task));
}
