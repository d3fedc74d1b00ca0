// Servers, clients, their tasks and engines: every number at its limits.
#include "doca/any_number.h"
#include "doca/bad_input/any_enum.h"
#include "doca/bad_input/setters.h"

namespace comch::test {
namespace {

// A number that has a getter, from 1 to `most`.
template <class Object, class Number>
void try_size(const char* function, const char* argument, Object* object,
              doca_error_t (*set)(Object*, Number), doca_error_t (*get)(const Object*, Number*),
              std::uint64_t most) {
  const Setter row = sized(function, object, set, get, Number{1});
  try_number(function, argument, {.zero = kNo, .most = most}, row.set, row.get);
}

template <class Task, class Object>
void try_tasks(const char* function, Object* object,
               doca_error_t (*set)(Object*, TaskCallback<Task>, TaskCallback<Task>, std::uint32_t),
               std::uint32_t most) {
  try_number(function, "num_send_tasks", {.zero = kNo, .most = most}, [=](auto n) {
    return set(object, on_task<Task>(1), on_task<Task>(1), static_cast<std::uint32_t>(n));
  });
}

// A message of each length that there may be, and of one byte more; the task is given back.
template <class Task, class Object, class Connection>
void try_message(const char* function, Object* object,
                 doca_error_t (*allocate)(Object*, Connection*, const void*, std::uint32_t, Task**),
                 Connection* connection) {
  const std::string bytes(4080, 'x');
  try_number(function, "len", {.most = bytes.size()}, [&](auto length) {
    Task* task = nullptr;
    const doca_error_t made =
        allocate(object, connection, bytes.data(), static_cast<std::uint32_t>(length), &task);
    EXPECT_EQ(task != nullptr, made == kYes);
    if (task != nullptr) doca_task_free(task_of(task));
    return made;
  });
}

struct ControlNumbersTest : ControlTest {
  std::uint32_t limit(doca_error_t (*get)(const doca_devinfo*, std::uint32_t*)) const {
    std::uint32_t most = 0;
    EXPECT_EQ(get(server.device.info(), &most), kYes);
    return most;
  }
  void connect() {
    ASSERT_EQ(server.start(), kYes);
    ASSERT_TRUE(client.connect());
    ASSERT_TRUE(until(pe, [&] { return !server.connections.empty(); }));
  }
  doca_comch_connection* at_server() const { return server.connections.front(); }

  ServerParty server{pe};
  ClientParty client{pe};
  doca_cc_server* const older_server = older<doca_cc_server>(server.server);
  doca_cc_client* const older_client = older<doca_cc_client>(client.client);
};

TEST_F(ControlNumbersTest, Sizes) {
  const std::uint32_t message = limit(doca_comch_cap_get_max_msg_size);
  const std::uint32_t queue = limit(doca_comch_cap_get_max_recv_queue_size);
  try_size("doca_comch_server_set_max_msg_size", "size", server.server,
           doca_comch_server_set_max_msg_size, doca_comch_server_get_max_msg_size, message);
  try_size("doca_comch_client_set_max_msg_size", "size", client.client,
           doca_comch_client_set_max_msg_size, doca_comch_client_get_max_msg_size, message);
  try_size("doca_cc_server_set_max_msg_size", "size", older_server, doca_cc_server_set_max_msg_size,
           doca_cc_server_get_max_msg_size, message);
  try_size("doca_cc_client_set_max_msg_size", "size", older_client, doca_cc_client_set_max_msg_size,
           doca_cc_client_get_max_msg_size, message);
  try_size("doca_comch_server_set_recv_queue_size", "size", server.server,
           doca_comch_server_set_recv_queue_size, doca_comch_server_get_recv_queue_size, queue);
  try_size("doca_comch_client_set_recv_queue_size", "size", client.client,
           doca_comch_client_set_recv_queue_size, doca_comch_client_get_recv_queue_size, queue);
  try_size("doca_cc_server_set_recv_queue_size", "size", older_server,
           doca_cc_server_set_recv_queue_size, doca_cc_server_get_recv_queue_size, queue);
  try_size("doca_cc_client_set_recv_queue_size", "size", older_client,
           doca_cc_client_set_recv_queue_size, doca_cc_client_get_recv_queue_size, queue);
}

TEST_F(ControlNumbersTest, Tasks) {
  const std::uint32_t most = limit(doca_comch_cap_get_max_send_tasks);
  try_tasks<doca_comch_task_send>("doca_comch_server_task_send_set_conf", server.server,
                                  doca_comch_server_task_send_set_conf, most);
  try_tasks<doca_comch_task_send>("doca_comch_client_task_send_set_conf", client.client,
                                  doca_comch_client_task_send_set_conf, most);
  try_tasks<doca_cc_task_send>("doca_cc_server_task_send_set_conf", older_server,
                               doca_cc_server_task_send_set_conf, most);
  try_tasks<doca_cc_task_send>("doca_cc_client_task_send_set_conf", older_client,
                               doca_cc_client_task_send_set_conf, most);
  try_tasks<doca_cc_send_task>("doca_cc_server_send_task_set_conf", older_server,
                               doca_cc_server_send_task_set_conf, most);
  try_tasks<doca_cc_send_task>("doca_cc_client_send_task_set_conf", older_client,
                               doca_cc_client_send_task_set_conf, most);
}

TEST_F(ControlNumbersTest, Messages) {
  connect();
  auto* const older_at_server = older<doca_cc_connection>(at_server());
  auto* const older_at_client = older<doca_cc_connection>(client.connection());
  try_message("doca_comch_server_task_send_alloc_init", server.server,
              doca_comch_server_task_send_alloc_init, at_server());
  try_message("doca_comch_client_task_send_alloc_init", client.client,
              doca_comch_client_task_send_alloc_init, client.connection());
  try_message("doca_cc_server_task_send_alloc_init", older_server,
              doca_cc_server_task_send_alloc_init, older_at_server);
  try_message("doca_cc_client_task_send_alloc_init", older_client,
              doca_cc_client_task_send_alloc_init, older_at_client);
  try_message("doca_cc_server_send_task_alloc_init", older_server,
              doca_cc_server_send_task_alloc_init, older_at_server);
  try_message("doca_cc_client_send_task_alloc_init", older_client,
              doca_cc_client_send_task_alloc_init, older_at_client);
}

TEST_F(ControlNumbersTest, SubmitFlagsAndCounters) {
  connect();
  constexpr std::uint32_t kAllFlags =
      DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;
  try_number("doca_task_submit_ex", "flags", {.most = kAllFlags}, [&](auto flags) {
    doca_comch_task_send* task = nullptr;
    EXPECT_EQ(client.allocate(client.connection(), "text", &task), kYes);
    const doca_error_t submitted =
        doca_task_submit_ex(task_of(task), static_cast<std::uint32_t>(flags));
    if (submitted != kYes) doca_task_free(task_of(task));
    settle(pe);
    return submitted;
  });
  EXPECT_EQ(server.received.size(), 3U);
  std::uint64_t value = 0;
  const Bounds counters{.zero = kNo, .most = DOCA_COMCH_COUNTER_RECV_BYTES};
  try_number("doca_comch_connection_get_counter", "counter_type", counters, [&](auto n) {
    return get_counter_number(at_server(), static_cast<std::uint32_t>(n), &value);
  });
  try_number("doca_cc_connection_get_counter", "counter_type", counters, [&](auto n) {
    return get_cc_counter_number(older<doca_cc_connection>(at_server()),
                                 static_cast<std::uint32_t>(n), &value);
  });
}

TEST_F(ControlNumbersTest, EnginesAndContexts) {
  try_number("doca_pe_set_event_mode", "event_mode", {.most = DOCA_PE_EVENT_MODE_PROGRESS_ALL},
             [&](auto n) { return set_event_mode_number(pe, static_cast<std::uint32_t>(n)); });
  // There is one that is right, and it is none of these.
  try_number("doca_pe_clear_notification", "handle", {.zero = kNo, .at_most = kNo},
             [&](auto n) { return doca_pe_clear_notification(pe, static_cast<int>(n)); });
  constexpr auto kNever = DOCA_ERROR_NOT_SUPPORTED;
  const Bounds never{.zero = kNever, .at_most = kNever, .negative = kNever};
  try_number("doca_pe_set_notification_handle", "handle", never,
             [&](auto n) { return doca_pe_set_notification_handle(pe, static_cast<int>(n), {}); });
  try_number("doca_pe_set_notification_handle", "completion_key", never,
             [&](auto n) { return doca_pe_set_notification_handle(pe, 0, {.u64 = n}); });
  try_number("doca_ctx_set_completion_vector", "comp_vector", {.most = 0}, [&](auto n) {
    return doca_ctx_set_completion_vector(server.ctx(), static_cast<std::uint32_t>(n));
  });
}

TEST_F(ControlNumbersTest, WordsOfThePrograms) {
  connect();
  doca_comch_task_send* task = nullptr;
  ASSERT_EQ(client.allocate(client.connection(), "text", &task), kYes);
  const doca_data whole{.ptr = &client};  // The party finds itself by it.
  try_number(
      "doca_ctx_set_user_data", "user_data", {},
      [&](auto n) { return doca_ctx_set_user_data(client.ctx(), {.u64 = n}); },
      word_of(client.ctx(), doca_ctx_get_user_data));
  ASSERT_EQ(doca_ctx_set_user_data(client.ctx(), whole), kYes);
  try_number(
      "doca_task_set_user_data", "user_data", {},
      [&](auto n) {
        doca_task_set_user_data(task_of(task), {.u64 = n});
        return kYes;
      },
      [&] { return doca_task_get_user_data(task_of(task)).u64; });
  doca_task_free(task_of(task));
  const auto word = [&] { return doca_comch_connection_get_user_data(at_server()).u64; };
  try_number(
      "doca_comch_connection_set_user_data", "user_data", {},
      [&](auto n) { return doca_comch_connection_set_user_data(at_server(), {.u64 = n}); }, word);
  try_number(
      "doca_cc_connection_set_user_data", "user_data", {},
      [&](auto n) {
        return doca_cc_connection_set_user_data(older<doca_cc_connection>(at_server()), {.u64 = n});
      },
      word);
}

}  // namespace
}  // namespace comch::test
