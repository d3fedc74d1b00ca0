// Client: the public face of ClientImpl.
#include "comch/client.h"

#include "comch/client_impl.h"
#include "comch/server_name.h"

namespace comch {

Result<std::unique_ptr<Client>> Client::create(std::shared_ptr<Device> device,
                                               std::string_view server_name) {
  if (device == nullptr) return fail(Errc::invalid_value, "a client needs a device");
  if (!device->info().capability.client) {
    return fail(Errc::not_supported, "clients live on host-side devices; this one is a DPU's");
  }
  if (Status s = check_wanted_server(server_name, device->info().capability); !s) {
    return std::unexpected(s.error());
  }
  return std::make_unique<ClientObject>(std::move(device), server_name);
}

Status Client::destroy(std::unique_ptr<Client>& client) {
  if (client == nullptr) return fail(Errc::invalid_value, "there is no client to destroy");
  if (client->state() != ContextState::kIdle) {
    return fail(Errc::in_use, "the client is not idle; stop it first");
  }
  client.reset();
  return {};
}

Status Client::set_max_message_size(std::uint32_t bytes) {
  return ClientImpl::of(*this).set_max_message_size(bytes);
}
Status Client::set_recv_queue_size(std::uint32_t messages) {
  return ClientImpl::of(*this).set_recv_queue_size(messages);
}
Status Client::set_connect_timeout(std::chrono::milliseconds timeout) {
  return ClientImpl::of(*this).set_connect_timeout(timeout);
}
Status Client::set_server_name(std::string_view name) {
  return ClientImpl::of(*this).set_server_name(name);
}
Status Client::set_acting(Identity identity) { return ClientImpl::of(*this).set_acting(identity); }

std::uint32_t Client::max_message_size() const {
  return ClientImpl::of(*this).limits().max_message_size;
}
std::uint32_t Client::recv_queue_size() const {
  return ClientImpl::of(*this).limits().recv_queue_size;
}
const std::string& Client::server_name() const { return ClientImpl::of(*this).server_name; }
const std::shared_ptr<Device>& Client::device() const { return ClientImpl::of(*this).device; }

Status Client::configure_send(std::uint32_t tasks, SendHandler sent, SendHandler failed) {
  return ClientImpl::of(*this).configure_send(tasks, std::move(sent), std::move(failed));
}
Status Client::on_message(MessageHandler handler) {
  return ClientImpl::of(*this).on_message(std::move(handler));
}
Status Client::on_consumer(ConsumerHandler appeared, ConsumerHandler expired) {
  return ClientImpl::of(*this).on_consumer(std::move(appeared), std::move(expired));
}
Status Client::on_space(SpaceHandler handler) {
  return ClientImpl::of(*this).on_space(std::move(handler));
}

Result<Connection*> Client::connection() const { return ClientImpl::of(*this).connection(); }

Result<SendTask*> Client::allocate_send(Connection& connection,
                                        std::span<const std::byte> message) {
  return ClientImpl::of(*this).allocate_send(connection, message);
}

}  // namespace comch
