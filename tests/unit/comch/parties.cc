// Parties: see parties.h.
#include "unit/comch/parties.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

namespace comch::test {

std::string text_of(std::span<const std::byte> message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

bool until(ProgressEngine& engine, const std::function<bool()>& done, const Deadline& deadline) {
  while (!done()) {
    if (deadline.passed()) return false;
    engine.wait(std::chrono::milliseconds(5));
  }
  return true;
}

bool is_notified(ProgressEngine& engine) {
  pollfd event{.fd = engine.event_fd(), .events = POLLIN, .revents = 0};
  const bool is_notified = ::poll(&event, 1, 1) == 1;
  engine.clear_notification().value();
  return is_notified;
}

bool falls_asleep(ProgressEngine& engine, int wakes) {
  for (; wakes > 0; --wakes) {
    if (engine.progress()) continue;
    // wait() would go back to sleep when it was woken for nothing.
    engine.request_notification().value();
    if (!is_notified(engine)) return true;
  }
  return false;
}

void settle(ProgressEngine& engine) {
  if (!falls_asleep(engine, 10'000)) throw std::runtime_error("the engine never has nothing to do");
}

std::shared_ptr<Device> dpu() { return Device::open_first(Side::kDpu).value(); }
std::shared_ptr<Device> host() { return Device::open_first(Side::kHost).value(); }
std::shared_ptr<Representor> function() { return Representor::open_first(dpu()).value(); }

template <class Party>
void Diary::keep_for(Party& party, const Settings& settings) {
  const auto done = [this](SendTask& task) {
    completions.push_back(task.status());
    then_complete(task);
  };
  const std::array set{
      party.set_max_message_size(settings.max_message),
      party.set_recv_queue_size(settings.queue),
      party.configure_send(settings.tasks, done, done),
      party.on_message([this](Connection& from, std::span<const std::byte> message) {
        received.push_back(text_of(message));
        const Receipt receipt = then_receive(from);
        if (receipt == Receipt::kKeep) received.pop_back();
        return receipt;
      }),
      party.on_space([this](Connection& connection) {
        ++spaces;
        then_space(connection);
      }),
      party.on_consumer([this](Connection&, ConsumerId id) { consumers.push_back(id); },
                        [this](Connection&, ConsumerId id) { std::erase(consumers, id); })};
  for (const Status& s : set) s.value();
  party.on_state_changed([this](Context& context, ContextState, ContextState now) {
    states.push_back(now);
    then_state(context, now);
  });
}

ServerParty::ServerParty(ProgressEngine& engine, const Settings& settings,
                         const std::shared_ptr<Representor>& representor)
    : server(Server::create(representor->device(), representor, settings.name).value()) {
  keep_for(*server, settings);
  server->set_max_clients(settings.clients).value();
  if (settings.access) server->set_access(*settings.access).value();
  const auto connected = [this](Connection& connection, bool) {
    connections.push_back(&connection);
    then_connected(connection);
  };
  const auto disconnected = [this](Connection& connection, bool) {
    endings.push_back(connection.loss());
    std::erase(connections, &connection);
    then_disconnected(connection);
  };
  server->on_connection(connected, disconnected).value();
  engine.connect(*server).value();
}

ClientParty::ClientParty(ProgressEngine& engine, const Settings& settings,
                         std::shared_ptr<Device> device)
    : client(Client::create(std::move(device), settings.name).value()), engine_(engine) {
  keep_for(*client, settings);
  client->set_connect_timeout(settings.timeout).value();
  if (settings.acting) client->set_acting(*settings.acting).value();
  engine.connect(*client).value();
}

bool ClientParty::connect() {
  if (!client->start()) return false;
  const auto over = [this] { return client->state() != ContextState::kStarting; };
  return until(engine_, over) && client->state() == ContextState::kRunning;
}

bool ClientParty::run_until_idle() {
  return until(engine_, [this] { return client->state() == ContextState::kIdle; });
}

}  // namespace comch::test
