// Server: the public face of ServerImpl.
#include "comch/server.h"

#include "comch/server_impl.h"
#include "comch/server_name.h"

namespace comch {

Result<std::unique_ptr<Server>> Server::create(std::shared_ptr<Device> device,
                                               std::shared_ptr<Representor> representor,
                                               std::string_view name) {
  if (device == nullptr || representor == nullptr) {
    return fail(Errc::invalid_value, "a server needs a device and a representor");
  }
  if (!device->info().capability.server) {
    return fail(Errc::not_supported, "servers live on DPU-side devices; this one is a host's");
  }
  if (representor->device()->info().pci != device->info().pci) {
    return fail(Errc::invalid_value, "the representor belongs to another device");
  }
  if (Status s = check_server_name(name, device->info().capability); !s) {
    return std::unexpected(s.error());
  }
  return std::make_unique<ServerObject>(std::move(device), std::move(representor), name);
}

Status Server::destroy(std::unique_ptr<Server>& server) {
  if (server == nullptr) return fail(Errc::invalid_value, "there is no server to destroy");
  if (server->state() != ContextState::kIdle) {
    return fail(Errc::in_use, "the server is not idle; stop it first");
  }
  server.reset();
  return {};
}

Status Server::set_max_message_size(std::uint32_t bytes) {
  return ServerImpl::of(*this).set_max_message_size(bytes);
}
Status Server::set_recv_queue_size(std::uint32_t messages) {
  return ServerImpl::of(*this).set_recv_queue_size(messages);
}
Status Server::set_max_clients(std::uint32_t connections) {
  return ServerImpl::of(*this).set_max_clients(connections);
}
Status Server::set_stamped(bool on) { return ServerImpl::of(*this).set_stamped(on); }
Status Server::set_access(AccessList access) {
  return ServerImpl::of(*this).set_access(std::move(access));
}
Status Server::set_owner(Identity owner) { return ServerImpl::of(*this).set_owner(owner); }

std::uint32_t Server::max_message_size() const {
  return ServerImpl::of(*this).limits().max_message_size;
}
std::uint32_t Server::recv_queue_size() const {
  return ServerImpl::of(*this).limits().recv_queue_size;
}
std::uint32_t Server::max_clients() const { return ServerImpl::of(*this).max_clients; }
const AccessList& Server::access() const { return ServerImpl::of(*this).access; }
const std::string& Server::server_name() const { return ServerImpl::of(*this).name; }
const std::shared_ptr<Device>& Server::device() const { return ServerImpl::of(*this).device; }
const std::shared_ptr<Representor>& Server::representor() const {
  return ServerImpl::of(*this).representor;
}

Status Server::configure_send(std::uint32_t tasks, SendHandler sent, SendHandler failed) {
  return ServerImpl::of(*this).configure_send(tasks, std::move(sent), std::move(failed));
}
Status Server::on_message(MessageHandler handler) {
  return ServerImpl::of(*this).on_message(std::move(handler));
}
Status Server::on_connection(ConnectionHandler connected, ConnectionHandler disconnected) {
  return ServerImpl::of(*this).on_connection(std::move(connected), std::move(disconnected));
}
Status Server::on_consumer(ConsumerHandler appeared, ConsumerHandler expired) {
  return ServerImpl::of(*this).on_consumer(std::move(appeared), std::move(expired));
}
Status Server::on_space(SpaceHandler handler) {
  return ServerImpl::of(*this).on_space(std::move(handler));
}

Result<SendTask*> Server::allocate_send(Connection& connection,
                                        std::span<const std::byte> message) {
  return ServerImpl::of(*this).allocate_send(connection, message);
}
Status Server::disconnect(Connection& connection) {
  return ServerImpl::of(*this).end(connection, true);
}
Status Server::abort(Connection& connection) {
  return ServerImpl::of(*this).end(connection, false);
}
std::size_t Server::connections() const { return ServerImpl::of(*this).connections(); }
std::uint64_t Server::refused() const { return ServerImpl::of(*this).refused; }

}  // namespace comch
