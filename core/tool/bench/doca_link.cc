// DocaLink: a client or a server of the C API.
#include "tool/bench/doca_link.h"

#include <doca_comch.h>
#include <doca_pe.h>

#include <tuple>
#include <utility>

#include "tool/bench/doca_device.h"
#include "tool/bench/doca_engine.h"
#include "tool/bench/doca_lane.h"
#include "tool/bench/doca_try.h"

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What clients and servers have in common. The context's user data is the link.
class DocaLink : public Link {
 public:
  Outcome<> say(std::span<const std::byte> message) override;
  void progress() override { engine_->progress(); }
  void wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) override {
    engine_->wait(timeout, spin);
  }
  Outcome<std::unique_ptr<Lane>> make_lane(Lane::Depth depth) override {
    return DocaLane::create(connection_, place_.device.get(), plan_, depth);
  }
  Outcome<> close() override;

 protected:
  explicit DocaLink(const FastPlan& plan) : plan_(plan) {}

  Outcome<> make_engine();
  Status tie(doca_ctx* ctx);
  virtual doca_ctx* ctx() const = 0;
  virtual doca_error_t allocate(std::span<const std::byte> message,
                                doca_comch_task_send** task) = 0;

  template <class Kind>
  static Kind& of(const doca_ctx* ctx) {
    doca_data self{};
    std::ignore = doca_ctx_get_user_data(ctx, &self);
    return static_cast<Kind&>(*static_cast<DocaLink*>(self.ptr));
  }
  static DocaLink& of(const doca_comch_connection* connection);

  // Callbacks.
  static void on_sent(doca_comch_task_send* task, doca_data, doca_data self);
  static void on_message(doca_comch_event_msg_recv*, std::uint8_t* bytes, std::uint32_t length,
                         doca_comch_connection* from);
  static void on_consumer(doca_comch_event_consumer*, doca_comch_connection* of_connection,
                          std::uint32_t id);
  static void on_no_consumer(doca_comch_event_consumer*, doca_comch_connection* of_connection,
                             std::uint32_t id);

  const FastPlan& plan_;
  DocaPlace place_;
  std::unique_ptr<DocaEngine> engine_;
  doca_comch_connection* connection_ = nullptr;

 private:
  std::uint32_t sending_ = 0;  // Messages under way.
};

Outcome<> DocaLink::make_engine() {
  auto engine = DocaEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  return {};
}

Status DocaLink::tie(doca_ctx* ctx) {
  Status status = status_of(doca_ctx_set_user_data(ctx, doca_data{.ptr = this}));
  if (status) status = status_of(doca_pe_connect_ctx(engine_->get(), ctx));
  return status;
}

DocaLink& DocaLink::of(const doca_comch_connection* connection) {
  if (auto* client = doca_comch_client_get_client_ctx(connection); client != nullptr) {
    return of<DocaLink>(doca_comch_client_as_ctx(client));
  }
  return of<DocaLink>(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)));
}

void DocaLink::on_sent(doca_comch_task_send* task, doca_data, doca_data self) {
  --static_cast<DocaLink*>(self.ptr)->sending_;
  doca_task_free(doca_comch_task_send_as_task(task));
}

void DocaLink::on_message(doca_comch_event_msg_recv*, std::uint8_t* bytes, std::uint32_t length,
                          doca_comch_connection* from) {
  of(from).was_said(std::as_bytes(std::span(bytes, length)));
}

void DocaLink::on_consumer(doca_comch_event_consumer*, doca_comch_connection* of_connection,
                           std::uint32_t id) {
  of(of_connection).appeared(ConsumerId{id});
}

void DocaLink::on_no_consumer(doca_comch_event_consumer*, doca_comch_connection* of_connection,
                              std::uint32_t id) {
  of(of_connection).expired(ConsumerId{id});
}

// The message is the caller's and may be gone later, so it is sent when this returns.
Outcome<> DocaLink::say(std::span<const std::byte> message) {
  doca_comch_task_send* task = nullptr;
  Status status = status_of(allocate(message, &task));
  if (status) status = status_of(doca_task_submit(doca_comch_task_send_as_task(task)));
  if (!status) return complain("cannot talk with the other end", status.error());
  ++sending_;
  const auto deadline = Clock::now() + kPatience;
  while (sending_ > 0) {
    engine_->wait(milliseconds(10));
    if (Clock::now() > deadline) return complain("the other end does not listen");
  }
  return {};
}

Outcome<> DocaLink::close() {
  if (auto stopped = begun(doca_ctx_stop(ctx())); !stopped) {
    return complain("cannot disconnect", stopped.error());
  }
  const auto deadline = Clock::now() + kPatience;
  while (state_of(ctx()) != DOCA_CTX_STATE_IDLE) {
    engine_->wait(milliseconds(10));
    if (Clock::now() > deadline) return complain("the other end does not let go");
  }
  return {};
}

class DocaClientLink final : public DocaLink {
 public:
  explicit DocaClientLink(const FastPlan& plan) : DocaLink(plan) {}

  Outcome<> connect(const std::string& server);
  // The client itself runs on while it has producers and consumers; an ended connection does
  // not answer.
  bool connected() const override {
    return state_of(ctx()) == DOCA_CTX_STATE_RUNNING &&
           doca_comch_connection_update_info(connection_) == DOCA_SUCCESS;
  }

 private:
  doca_ctx* ctx() const override { return doca_comch_client_as_ctx(client_.get()); }
  doca_error_t allocate(std::span<const std::byte> message, doca_comch_task_send** task) override {
    return doca_comch_client_task_send_alloc_init(client_.get(), connection_, message.data(),
                                                  static_cast<std::uint32_t>(message.size()), task);
  }
  Status configure();

  DocaOwned<doca_comch_client, doca_comch_client_destroy> client_;
};

Status DocaClientLink::configure() {
  auto* const client = client_.get();
  Status status = status_of(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 1));
  if (status) status = status_of(doca_comch_client_event_msg_recv_register(client, on_message));
  if (status) {
    status =
        status_of(doca_comch_client_event_consumer_register(client, on_consumer, on_no_consumer));
  }
  if (status) status = tie(ctx());
  return status;
}

Outcome<> DocaClientLink::connect(const std::string& server) {
  auto place = open_doca_client_place(plan_.common);
  if (!place) return std::unexpected(place.error());
  place_ = std::move(*place);
  if (auto made = make_engine(); !made) return made;
  Status status = make(client_, doca_comch_client_create, place_.device.get(), server.c_str());
  if (!status) return complain("cannot make a client", status.error());
  status = configure();
  if (!status) return complain("cannot configure the client", status.error());
  status = begun(doca_ctx_start(ctx()));
  while (state_of(ctx()) == DOCA_CTX_STATE_STARTING) engine_->wait(milliseconds(10));
  if (status) {
    status = status_of(doca_comch_client_get_connection(client_.get(), &connection_));
  }
  if (!status) return complain("cannot connect", status.error());
  return {};
}

class DocaServerLink final : public DocaLink {
 public:
  explicit DocaServerLink(const FastPlan& plan) : DocaLink(plan) {}

  Outcome<> listen(const std::string& name);
  bool connected() const override { return connection_ != nullptr && !client_left_; }

 private:
  doca_ctx* ctx() const override { return doca_comch_server_as_ctx(server_.get()); }
  doca_error_t allocate(std::span<const std::byte> message, doca_comch_task_send** task) override {
    return doca_comch_server_task_send_alloc_init(server_.get(), connection_, message.data(),
                                                  static_cast<std::uint32_t>(message.size()), task);
  }
  static DocaServerLink& of_client(const doca_comch_connection* client);
  static void on_client(doca_comch_event_connection_status_changed*, doca_comch_connection* client,
                        std::uint8_t);
  static void on_client_left(doca_comch_event_connection_status_changed*,
                             doca_comch_connection* client, std::uint8_t);
  Status configure();

  DocaOwned<doca_comch_server, doca_comch_server_destroy> server_;
  bool client_left_ = false;
};

DocaServerLink& DocaServerLink::of_client(const doca_comch_connection* client) {
  return of<DocaServerLink>(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(client)));
}

void DocaServerLink::on_client(doca_comch_event_connection_status_changed*,
                               doca_comch_connection* client, std::uint8_t) {
  of_client(client).connection_ = client;
}

void DocaServerLink::on_client_left(doca_comch_event_connection_status_changed*,
                                    doca_comch_connection* client, std::uint8_t) {
  of_client(client).client_left_ = true;
}

Status DocaServerLink::configure() {
  auto* const server = server_.get();
  Status status = status_of(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 1));
  if (status) status = status_of(doca_comch_server_event_msg_recv_register(server, on_message));
  if (status) {
    status = status_of(doca_comch_server_event_connection_status_changed_register(server, on_client,
                                                                                  on_client_left));
  }
  if (status) {
    status =
        status_of(doca_comch_server_event_consumer_register(server, on_consumer, on_no_consumer));
  }
  if (status) status = tie(ctx());
  return status;
}

Outcome<> DocaServerLink::listen(const std::string& name) {
  auto place = open_doca_server_place(plan_.common);
  if (!place) return std::unexpected(place.error());
  place_ = std::move(*place);
  if (auto made = make_engine(); !made) return made;
  Status status = make(server_, doca_comch_server_create, place_.device.get(),
                       place_.representor.get(), name.c_str());
  if (!status) return complain("cannot make the other end's server", status.error());
  status = configure();
  if (!status) return complain("cannot configure the other end", status.error());
  status = begun(doca_ctx_start(ctx()));
  if (!status) return complain("cannot start the other end", status.error());
  return {};
}

}  // namespace

Outcome<std::unique_ptr<Link>> connect_doca(const FastPlan& plan, const std::string& server) {
  auto link = std::make_unique<DocaClientLink>(plan);
  if (auto connected = link->connect(server); !connected) {
    return std::unexpected(connected.error());
  }
  return link;
}

Outcome<std::unique_ptr<Link>> listen_doca(const FastPlan& plan, const std::string& name) {
  auto link = std::make_unique<DocaServerLink>(plan);
  if (auto listening = link->listen(name); !listening) return std::unexpected(listening.error());
  return link;
}

}  // namespace comch::tool
