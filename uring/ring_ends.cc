// Ring: see ring.h: what is prepared and registered: ends, memory, files.
#include <tuple>
#include <utility>

#include "comch/uring/ring.h"
#include "ring_core.h"

namespace comch::uring {

using Bytes = std::span<const std::byte>;

// --- Ends ------------------------------------------------------------------------------------

Status Ring::prepare(Producer& producer) {
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  if (Status s = producer.configure_send(1, free_task, free_task); !s) return s;
  const auto returned = [returns = core_->returns](Producer& from, ConsumerId by, Buffer& buffer,
                                                   const Status& how) {
    if (returns->core == nullptr) return;
    returns->core->machine.sending().on_returned(from, by, buffer, how);
  };
  return producer.on_returned(returned);
}

Status Ring::prepare(Consumer& consumer, std::uint32_t tasks) {
  const auto free_task = [](ReceiveTask& task) { std::ignore = task.free(); };
  return consumer.configure_receive(tasks, free_task, free_task);
}

// What a server and a client have in common.
template <class Endpoint>
Status Ring::prepare_endpoint(Endpoint& endpoint) {
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  if (Status s = endpoint.configure_send(1, free_task, free_task); !s) return s;
  const auto deliver = [returns = core_->returns](Connection& from, Bytes message) {
    if (returns->core == nullptr) return Receipt::kKeep;
    return returns->core->machine.control().on_message(from, message);
  };
  if (Status s = endpoint.on_message(deliver); !s) return s;
  const auto appeared = [returns = core_->returns, &endpoint](Connection& c, ConsumerId consumer) {
    if (returns->core == nullptr) return;
    returns->core->machine.accepting().on_consumer(&endpoint, c, consumer);
  };
  const auto expired = [returns = core_->returns, &endpoint](Connection& c, ConsumerId consumer) {
    if (returns->core == nullptr) return;
    returns->core->machine.accepting().on_consumer_gone(&endpoint, c, consumer);
  };
  return endpoint.on_consumer(appeared, expired);
}

Status Ring::prepare(Server& server) {
  const auto came = [returns = core_->returns, &server](Connection& client, bool successful) {
    if (returns->core == nullptr || !successful) return;
    returns->core->machine.accepting().on_connection(&server, client);
  };
  const auto left = [returns = core_->returns, &server](Connection& client, bool) {
    if (returns->core == nullptr) return;
    returns->core->machine.accepting().on_disconnection(&server, client);
  };
  if (Status s = server.on_connection(came, left); !s) return s;
  return prepare_endpoint(server);
}

Status Ring::prepare(Client& client) { return prepare_endpoint(client); }

Result<Destination*> Ring::register_destination(Producer& producer, ConsumerId consumer) {
  return unless_no_memory(
      [&]() -> Result<Destination*> { return core_->machine.sending().add(producer, consumer); });
}

Result<Source*> Ring::register_source(Consumer& consumer) {
  return unless_no_memory(
      [&]() -> Result<Source*> { return core_->machine.receiving().add(consumer); });
}

Result<Control*> Ring::register_control(Connection& connection) {
  return unless_no_memory(
      [&]() -> Result<Control*> { return core_->machine.control().add(connection); });
}

Result<Listener*> Ring::register_listener(const Server& server) {
  return unless_no_memory(
      [&]() -> Result<Listener*> { return core_->machine.accepting().add(&server); });
}

Result<Listener*> Ring::register_listener(const Client& client) {
  return unless_no_memory(
      [&]() -> Result<Listener*> { return core_->machine.accepting().add(&client); });
}

Status Ring::unregister(Destination& destination) {
  auto& end = static_cast<DestinationOf<CoreKinds>&>(destination);
  const PeerMemory memory = end.memory;
  const bool registered = end.registered;
  const Status s = core_->machine.sending().remove(end);
  if (s && registered) core_->io.unregister_memory(memory.bytes);
  core_->machine.begin_due();
  return s;
}

Status Ring::unregister(Source& source) {
  return core_->machine.receiving().remove(static_cast<SourceOf<CoreKinds>&>(source));
}

Status Ring::unregister(Control& control) {
  auto& end = static_cast<ControlOf<CoreKinds>&>(control);
  if (end.listener != nullptr) return fail(Errc::not_permitted, "its listener has the connection");
  core_->machine.accepting().on_unregistered(control);
  core_->machine.control().remove(end);
  core_->machine.begin_due();
  return {};
}

Status Ring::unregister(Listener& listener) {
  return core_->machine.accepting().remove(static_cast<ListenerOf<CoreKinds>&>(listener));
}

Status Ring::register_memory(Destination& destination) {
  auto& end = static_cast<DestinationOf<CoreKinds>&>(destination);
  if (end.registered) return fail(Errc::already_exist, "the memory is registered");
  Result<PeerMemory> memory = end.producer.memory(end.consumer);
  if (!memory) return std::unexpected(memory.error());
  if (Status s = core_->io.register_memory(memory->bytes); !s) return s;
  end.memory = *std::move(memory);
  end.registered = true;
  return {};
}
Status Ring::register_memory(MemoryMap& map) {
  const Result<std::span<std::byte>> range = map.range();
  if (!range) return std::unexpected(range.error());
  return core_->io.register_memory(*range);
}
Status Ring::unregister_memory(MemoryMap& map) {
  const Result<std::span<std::byte>> range = map.range();
  if (!range) return std::unexpected(range.error());
  core_->io.unregister_memory(*range);
  return {};
}
Result<int> Ring::register_file(int fd, FileUse use) { return core_->io.register_file(fd, use); }
Status Ring::unregister_file(int number) {
  if (core_->machine.names_file(number)) {
    return fail(Errc::in_use, "an operation that names the file is not over");
  }
  return core_->io.unregister_file(number);
}

Receipt Ring::on_message(Connection& connection, std::span<const std::byte> message) {
  return core_->machine.control().on_message(connection, message);
}

}  // namespace comch::uring
