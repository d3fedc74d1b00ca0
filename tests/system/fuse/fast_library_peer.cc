// LibraryProducer and LibraryConsumer: what their processes do.
#include "fast_library_peer.h"

#include <comch/comch.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <tuple>

#include "must.h"

namespace comch::test {
namespace {

using std::chrono::milliseconds;

// A client that is connected, and its engine.
struct Party {
  std::unique_ptr<ProgressEngine> engine = must(ProgressEngine::create());
  std::unique_ptr<Client> client;

  explicit Party(const std::string& server) {
    client = must(Client::create(must(Device::open_first(Side::kHost)), server));
    const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
    must(client->configure_send(1, free_task, free_task));
    must(client->on_message(
        [](Connection&, std::span<const std::byte>) { return Receipt::kTaken; }));
    must(client->on_consumer([](Connection&, ConsumerId) {}, [](Connection&, ConsumerId) {}));
    must(engine->connect(*client));
    must(client->start());
    while (client->state() == ContextState::kStarting) engine->wait(milliseconds(10));
    if (client->state() != ContextState::kRunning) throw std::runtime_error(client->failure().text);
  }
  Connection& connection() { return *client->connection().value(); }
  void go_on() { engine->wait(milliseconds(1)); }
};

std::unique_ptr<MemoryMap> make_map(std::span<std::byte> own, std::size_t size) {
  auto map = must(MemoryMap::create());
  must(own.empty() ? map->allocate(size) : map->set_range(own.data(), own.size()));
  must(map->set_permissions(Access::kLocalReadWrite | Access::kPciReadWrite));
  must(map->start());
  return map;
}

// Takes no memory before somebody touches it.
std::unique_ptr<MemoryMap> make_untouched_map(std::uint64_t size) {
  const File memory = File::adopt(::memfd_create("untouched", MFD_ALLOW_SEALING | MFD_CLOEXEC));
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const bool is_sealed = ::ftruncate(memory.fd(), static_cast<off_t>(size)) == 0 &&
                         ::fcntl(memory.fd(), F_ADD_SEALS, seals) == 0;
  if (!is_sealed) throw std::runtime_error("no memory to hand over");
  auto map = must(MemoryMap::create());
  must(map->import_memfd(memory.fd(), 0, size));
  must(map->set_permissions(Access::kPciReadOnly));
  must(map->start());
  return map;
}

void hand_over(Party& party, Producer& producer, ConsumerId to,
               const LibraryProducer::Sending& message, const int& returned,
               const LibraryProducer::Gates& gates) {
  const std::string& data = message.data;
  const bool is_untouched = message.untouched != 0;
  const std::uint32_t count = std::max(message.together, 1U);
  const std::size_t size = is_untouched ? message.untouched : data.size();
  const auto map = is_untouched ? make_untouched_map(size) : make_map({}, size * count);
  const auto inventory = must(BufferInventory::create(count));
  must(inventory->start());
  std::vector<Buffer*> buffers;
  for (std::uint32_t n = 0; n < count; ++n) {
    const auto range = must(map->range()).subspan(n * size, size);
    buffers.push_back(must(inventory->get_by_data(*map, range)));
    std::ranges::copy(std::as_bytes(std::span(data)), range.begin());
  }
  if (message.together != 0 && !gates.may_go_on.wait()) {
    throw std::runtime_error("nobody lets it go on");
  }
  const int all = returned + static_cast<int>(count);
  const auto immediate = std::as_bytes(std::span(message.immediate));
  for (Buffer* buffer : buffers) {
    while (!producer.hand_over(to, *buffer, immediate)) party.go_on();
  }
  gates.handed_over.open();
  while (returned != all) party.go_on();
  for (Buffer* buffer : buffers) {
    if (!is_untouched) std::fill_n(buffer->data(), size, std::byte{'?'});  // Its own again.
    std::ignore = buffer->drop_reference();
  }
}

int produce(const std::string& server, const std::vector<LibraryProducer::Sending>& messages,
            const LibraryProducer::Gates& gates) {
  Party party(server);
  while (party.connection().remote_consumers().empty()) party.go_on();
  const ConsumerId to = party.connection().remote_consumers().front();
  const auto producer = must(Producer::create(party.connection()));
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  must(producer->configure_send(8, free_task, free_task));
  int returned = 0;
  must(producer->on_returned(
      [&returned](Producer&, ConsumerId, Buffer&, const Status&) { ++returned; }));
  must(party.engine->connect(*producer));
  must(producer->start());
  for (const auto& message : messages) {
    if (message.hands_over || message.untouched != 0 || message.together != 0) {
      hand_over(party, *producer, to, message, returned, gates);
      gates.returned.open();
      continue;
    }
    const Outgoing one{.data = std::as_bytes(std::span(message.data)),
                       .immediate = std::as_bytes(std::span(message.immediate))};
    while (true) {
      const auto sent = producer->send(to, std::span(&one, 1));
      if (sent) break;
      if (sent.error().code != Errc::again) must(Status(std::unexpected(sent.error())));
      party.go_on();
    }
    while (producer->busy(to)) party.go_on();
  }
  while (party.client->state() == ContextState::kRunning) party.go_on();
  return 0;
}

void write_exactly(const File& out, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(out.fd(), bytes.data(), bytes.size());
    if (size < 0) throw std::runtime_error("nobody reads what has arrived");
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

int consume(const std::string& server, const LibraryConsumer::Options& options, const File& out) {
  Party party(server);
  const std::size_t size = options.buffers * options.buffer_size;
  std::vector<std::byte> own(options.memory == Memory::kPrivate ? size : 0);
  const auto map = make_map(own, size);
  const auto consumer = must(Consumer::create(party.connection(), *map));
  const auto arrived = [&out](ReceiveTask& task) {
    const auto bytes = task.buffer()->contents();
    const std::array sizes{bytes.size(), task.immediate().size()};
    write_exactly(out, std::as_bytes(std::span(sizes)));
    write_exactly(out, bytes);
    write_exactly(out, task.immediate());
    task.buffer()->reset_data_length();
    std::ignore = task.submit();
  };
  const auto failed = [](ReceiveTask& task) { std::ignore = task.free(); };
  must(consumer->configure_receive(options.buffers, arrived, failed));
  must(party.engine->connect(*consumer));
  must(consumer->start());
  while (consumer->state() == ContextState::kStarting) party.go_on();
  const auto pool = must(BufferPool::create(options.buffers, options.buffer_size, *map));
  must(pool->start());
  for (std::uint32_t n = 0; n < options.buffers; ++n) {
    must(must(consumer->allocate_receive(must(pool->get())))->submit());
  }
  while (party.client->state() == ContextState::kRunning) party.go_on();
  return 0;
}

}  // namespace

LibraryProducer::LibraryProducer(const std::string& server, std::vector<Sending> messages)
    : process_(ChildProcess::run([&] { return produce(server, messages, gates_); })) {}

LibraryConsumer::Pipe LibraryConsumer::pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {.out = File::adopt(ends[1]), .in = File::adopt(ends[0])};
}

LibraryConsumer::LibraryConsumer(const std::string& server, const Options& options)
    : LibraryConsumer(pipe(), server, options) {}

LibraryConsumer::LibraryConsumer(Pipe pipe, const std::string& server, const Options& options)
    : answers_(std::move(pipe.in)),
      process_(ChildProcess::run([&] { return consume(server, options, pipe.out); })) {}

std::string LibraryConsumer::read_exactly(std::size_t size) {
  std::string bytes;
  for (const Deadline deadline; bytes.size() < size;) {
    const Got part = answers_.wait_and_read(size - bytes.size(), deadline);
    if (part.error != 0 || part.bytes.empty()) return {};
    bytes += part.bytes;
  }
  return bytes;
}

LibraryConsumer::Arrived LibraryConsumer::next() {
  std::array<std::size_t, 2> sizes{};
  const std::string header = read_exactly(sizeof sizes);
  if (header.empty()) return {};
  header.copy(reinterpret_cast<char*>(sizes.data()), sizeof sizes);
  Arrived arrived{.data = read_exactly(sizes[0]), .immediate = {}};
  arrived.immediate = read_exactly(sizes[1]);
  return arrived;
}

}  // namespace comch::test
