// Control parties: see control_parties.h.
#include "doca/control_parties.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "doca/must.h"

namespace comch::test {

namespace {

Party& party_of(doca_ctx* ctx) {
  doca_data data{};
  must(doca_ctx_get_user_data(ctx, &data), "doca_ctx_get_user_data");
  return *static_cast<Party*>(data.ptr);
}

// As programs find their own object: from the connection to its context to the user data.
Party& party_of(const doca_comch_connection* connection) {
  doca_comch_server* const server = doca_comch_server_get_server_ctx(connection);
  if (server != nullptr) return party_of(doca_comch_server_as_ctx(server));
  return party_of(doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)));
}

ServerParty& server_of(doca_comch_connection* connection) {
  return static_cast<ServerParty&>(party_of(connection));
}

void on_complete(doca_comch_task_send* task, doca_data, doca_data ctx_user_data) {
  Party& party = *static_cast<Party*>(ctx_user_data.ptr);
  party.completions.push_back(doca_task_get_status(doca_comch_task_send_as_task(task)));
  party.then_complete(task);
}

void on_message(doca_comch_event_msg_recv*, uint8_t* bytes, uint32_t length,
                doca_comch_connection* from) {
  Party& party = party_of(from);
  party.received.emplace_back(reinterpret_cast<const char*>(bytes), length);
  party.then_receive(from);
}

void on_consumer(doca_comch_event_consumer*, doca_comch_connection* of, uint32_t id) {
  party_of(of).consumers.push_back(id);
}

void on_consumer_gone(doca_comch_event_consumer*, doca_comch_connection* of, uint32_t id) {
  std::erase(party_of(of).consumers, id);
}

void on_connected(doca_comch_event_connection_status_changed*, doca_comch_connection* connection,
                  uint8_t successful) {
  ServerParty& party = server_of(connection);
  EXPECT_EQ(successful, 1);
  party.connections.push_back(connection);
  party.then_connected(connection);
}

void on_disconnected(doca_comch_event_connection_status_changed*, doca_comch_connection* connection,
                     uint8_t successful) {
  ServerParty& party = server_of(connection);
  EXPECT_EQ(successful, 1);
  ++party.endings;
  std::erase(party.connections, connection);
  party.then_disconnected(connection);
}

void on_state(const doca_data user_data, doca_ctx*, doca_ctx_states, doca_ctx_states now) {
  Party& party = *static_cast<Party*>(user_data.ptr);
  party.states.push_back(now);
  party.then_state(now);
}

// An epoll set with the engines' handles in it, as programs make it.
class EpollSet {
 public:
  explicit EpollSet(const Engines& engines) : set_(epoll_create1(EPOLL_CLOEXEC)) {
    for (doca_pe* const pe : engines) {
      const int handle = handle_of(pe);
      epoll_event event{.events = EPOLLIN, .data = {}};
      if (epoll_ctl(set_, EPOLL_CTL_ADD, handle, &event) != 0) throw std::runtime_error("epoll");
    }
  }
  ~EpollSet() { ::close(set_); }
  EpollSet(const EpollSet&) = delete;
  EpollSet& operator=(const EpollSet&) = delete;
  // False: nothing woke us.
  bool wait(const Deadline& deadline) const {
    epoll_event event;
    return epoll_wait(set_, &event, 1, deadline.left_ms()) == 1;
  }
  static doca_notification_handle_t handle_of(doca_pe* pe) {
    doca_notification_handle_t handle = doca_event_invalid_handle;
    must(doca_pe_get_notification_handle(pe, &handle), "doca_pe_get_notification_handle");
    return handle;
  }

 private:
  int set_;
};

bool progress(const Engines& engines) {
  bool did = false;
  for (doca_pe* const pe : engines) did = doca_pe_progress(pe) != 0 || did;
  return did;
}

bool sleep_until(const Engines& engines, const std::function<bool()>& done, Waiting waiting,
                 const Deadline& deadline) {
  const EpollSet epoll(engines);
  const doca_pe_event_mode mode = waiting == Waiting::kEpollAll
                                      ? DOCA_PE_EVENT_MODE_PROGRESS_ALL
                                      : DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE;
  for (doca_pe* const pe : engines) must(doca_pe_set_event_mode(pe, mode), "event mode");
  for (;;) {
    while (progress(engines)) {
      if (done()) return true;
    }
    if (done()) return true;
    for (doca_pe* const pe : engines) must(doca_pe_request_notification(pe), "request");
    // Not one more look at the deadline: a wake-up that was lost would not be seen.
    if (!epoll.wait(deadline)) return false;
    if (waiting == Waiting::kEpollAll) continue;
    for (doca_pe* const pe : engines) {
      must(doca_pe_clear_notification(pe, EpollSet::handle_of(pe)), "clear");
    }
  }
}

}  // namespace

// --- Devices -----------------------------------------------------------------------------

OpenDevice::OpenDevice(const std::string& pci) {
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  must(doca_devinfo_create_list(&list, &count), "doca_devinfo_create_list");
  for (uint32_t n = 0; n < count; ++n) {
    uint8_t equal = 0;
    must(doca_devinfo_is_equal_pci_addr(list[n], pci.c_str(), &equal), "is_equal_pci_addr");
    if (equal != 0) must(doca_dev_open(list[n], &device_), "doca_dev_open");
  }
  must(doca_devinfo_destroy_list(list), "doca_devinfo_destroy_list");
  if (device_ == nullptr) throw std::runtime_error("no device " + pci);
}

void OpenDevice::close() {
  if (device_ == nullptr) return;
  EXPECT_EQ(doca_dev_close(device_), DOCA_SUCCESS);
  device_ = nullptr;
}

OpenRepresentor::OpenRepresentor(doca_dev* device, const std::string& pci) {
  doca_devinfo_rep** list = nullptr;
  uint32_t count = 0;
  must(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_NET, &list, &count),
       "doca_devinfo_rep_create_list");
  for (uint32_t n = 0; n < count; ++n) {
    uint8_t equal = 0;
    must(doca_devinfo_rep_is_equal_pci_addr(list[n], pci.c_str(), &equal), "is_equal_pci_addr");
    if (equal != 0) must(doca_dev_rep_open(list[n], &representor_), "doca_dev_rep_open");
  }
  must(doca_devinfo_rep_destroy_list(list), "doca_devinfo_rep_destroy_list");
  if (representor_ == nullptr) throw std::runtime_error("no representor " + pci);
}

void OpenRepresentor::close() {
  if (representor_ == nullptr) return;
  EXPECT_EQ(doca_dev_rep_close(representor_), DOCA_SUCCESS);
  representor_ = nullptr;
}

// --- Waiting -----------------------------------------------------------------------------

std::string name(Waiting waiting) {
  switch (waiting) {
    case Waiting::kPolling:
      return "Polling";
    case Waiting::kEpoll:
      return "Epoll";
    case Waiting::kEpollAll:
      return "EpollProgressAll";
  }
  return "?";
}

bool until(const Engines& engines, const std::function<bool()>& done, Waiting waiting,
           const Deadline& deadline) {
  if (waiting != Waiting::kPolling) return sleep_until(engines, done, waiting, deadline);
  while (!done()) {
    if (!progress(engines) && deadline.passed()) return false;
  }
  return true;
}

bool until(doca_pe* pe, const std::function<bool()>& done, Waiting waiting,
           const Deadline& deadline) {
  return until(Engines{pe}, done, waiting, deadline);
}

void settle(doca_pe* pe) {
  // The kernel is asked only now and then: one idle call is not yet quiet.
  for (int quiet = 0; quiet < 1000;) quiet = doca_pe_progress(pe) != 0 ? 0 : quiet + 1;
}

doca_ctx_states state_of(doca_ctx* ctx) {
  doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  must(doca_ctx_get_state(ctx, &state), "doca_ctx_get_state");
  return state;
}

// --- Parties -----------------------------------------------------------------------------

Party::Party(doca_pe* engine, PartySettings chosen)
    : then_complete(
          [](doca_comch_task_send* task) { doca_task_free(doca_comch_task_send_as_task(task)); }),
      pe(engine),
      settings(std::move(chosen)) {}

void Party::tie() {
  must(doca_ctx_set_user_data(ctx(), {.ptr = this}), "doca_ctx_set_user_data");
  must(doca_ctx_set_state_changed_cb(ctx(), on_state), "doca_ctx_set_state_changed_cb");
  if (pe != nullptr) must(doca_pe_connect_ctx(pe, ctx()), "doca_pe_connect_ctx");
}

doca_error_t Party::send(doca_comch_connection* to, std::string_view message) {
  doca_comch_task_send* task = nullptr;
  const doca_error_t allocated = allocate(to, message, &task);
  if (allocated != DOCA_SUCCESS) return allocated;
  const doca_error_t sent = doca_task_submit(doca_comch_task_send_as_task(task));
  if (sent != DOCA_SUCCESS) doca_task_free(doca_comch_task_send_as_task(task));
  return sent;
}

bool Party::run_until_idle() {
  return run_until([this] { return state() == DOCA_CTX_STATE_IDLE; });
}

void Party::end() {
  then_state = [](auto) {};
  if (state() == DOCA_CTX_STATE_IDLE) return;
  const doca_error_t stopped = stop();
  EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(run_until_idle());
}

ServerParty::ServerParty(doca_pe* engine, const PartySettings& chosen) : Party(engine, chosen) {
  must(doca_comch_server_create(device, representor, settings.name.c_str(), &server), "create");
  must(doca_comch_server_set_max_msg_size(server, settings.max_message), "max_msg_size");
  must(doca_comch_server_set_recv_queue_size(server, settings.queue), "recv_queue_size");
  must(doca_comch_server_task_send_set_conf(server, on_complete, on_complete, settings.tasks),
       "task_send_set_conf");
  must(doca_comch_server_event_msg_recv_register(server, on_message), "msg_recv_register");
  must(doca_comch_server_event_connection_status_changed_register(server, on_connected,
                                                                  on_disconnected),
       "connection_status_changed_register");
  must(doca_comch_server_event_consumer_register(server, on_consumer, on_consumer_gone),
       "consumer_register");
  tie();
}

ServerParty::~ServerParty() {
  if (server == nullptr) return;
  end();
  EXPECT_EQ(doca_comch_server_destroy(server), DOCA_SUCCESS);
}

doca_error_t ServerParty::allocate(doca_comch_connection* to, std::string_view message,
                                   doca_comch_task_send** task) {
  return doca_comch_server_task_send_alloc_init(server, to, message.data(),
                                                static_cast<uint32_t>(message.size()), task);
}

ClientParty::ClientParty(doca_pe* engine, const PartySettings& chosen) : Party(engine, chosen) {
  must(doca_comch_client_create(device, settings.name.c_str(), &client), "create");
  must(doca_comch_client_set_max_msg_size(client, settings.max_message), "max_msg_size");
  must(doca_comch_client_set_recv_queue_size(client, settings.queue), "recv_queue_size");
  must(doca_comch_client_task_send_set_conf(client, on_complete, on_complete, settings.tasks),
       "task_send_set_conf");
  must(doca_comch_client_event_msg_recv_register(client, on_message), "msg_recv_register");
  must(doca_comch_client_event_consumer_register(client, on_consumer, on_consumer_gone),
       "consumer_register");
  tie();
}

ClientParty::~ClientParty() {
  if (client == nullptr) return;
  end();
  EXPECT_EQ(doca_comch_client_destroy(client), DOCA_SUCCESS);
}

doca_error_t ClientParty::allocate(doca_comch_connection* to, std::string_view message,
                                   doca_comch_task_send** task) {
  return doca_comch_client_task_send_alloc_init(client, to, message.data(),
                                                static_cast<uint32_t>(message.size()), task);
}

doca_comch_connection* ClientParty::connection() const {
  doca_comch_connection* connection = nullptr;
  must(doca_comch_client_get_connection(client, &connection), "doca_comch_client_get_connection");
  return connection;
}

bool ClientParty::connect() {
  if (start() != DOCA_ERROR_IN_PROGRESS) return false;
  return run_until([this] { return state() != DOCA_CTX_STATE_STARTING; }) &&
         state() == DOCA_CTX_STATE_RUNNING;
}

// --- The test ----------------------------------------------------------------------------

ControlTest::ControlTest() { must(doca_pe_create(&pe), "doca_pe_create"); }
ControlTest::~ControlTest() { EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS); }

}  // namespace comch::test
