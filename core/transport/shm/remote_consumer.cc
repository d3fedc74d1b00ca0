// RemoteConsumer: see remote_consumer.h.
#include "transport/shm/remote_consumer.h"

#include <array>
#include <utility>

#include "base/checked.h"
#include "os/membarrier.h"
#include "os/memory.h"
#include "os/packet.h"
#include "transport/shm/audience.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/hub.h"
#include "wire/handshake.h"

namespace comch::transport::shm {
namespace {

using comch::shm::PostedLayout;
using DeskSeat = RemoteConsumer::Desk::Seat;

constexpr std::size_t kFdPosted = 0;
constexpr std::size_t kFdLine = 1;
constexpr std::size_t kFdMemory = 2;

// Where nobody writes by it an offset only goes back to its owner, who knows what it may be.
constexpr std::uint64_t kAnySize = std::uint64_t{1} << 48U;

RemoteConsumer::Desk::Reader reader_of(const RemoteConsumer::Parts& parts,
                                       const wire::Consumer& terms) {
  // By kCma the kernel writes, into the process of a consumer whose ring any producer may change.
  const bool written_to = terms.way == wire::Way::kMapped || terms.way == wire::Way::kCma;
  const std::uint64_t size = written_to ? terms.map_size : kAnySize;
  std::byte* const base = parts.posted.bytes().data();
  return {comch::shm::posted_run_at(base), base + parts.layout.ring, parts.layout.slots, size};
}

std::span<DeskSeat> seats_of(const os::Window& window) {
  return {reinterpret_cast<DeskSeat*>(window.bytes().data()), comch::shm::kMaxSeats};
}

Result<os::Window> make_seats() {
  constexpr std::uint64_t kSize = sizeof(DeskSeat) * std::uint64_t{comch::shm::kMaxSeats};
  const Result<os::Fd> memory = os::make_memory("comch-desk", kSize, os::Pages::kOrdinary);
  if (!memory) return std::unexpected(memory.error());
  return os::Window::map(*memory, {0, kSize}, os::Window::kWrite);
}

Result<os::Window> map_memory(const os::Fd& fd, const wire::Consumer& terms,
                              const MappedShare& share) {
  const Result<std::uint64_t> size = os::sealed_size(fd);
  if (!size) return std::unexpected(size.error());
  const Range range{terms.map_offset, terms.map_size};
  if (!contains(*size, range)) return fail(Errc::connection_reset, "a map larger than its memory");
  Result<os::Window> window = os::Window::map(fd, range, os::Window::kWrite);
  if (window) window->free_elsewhere(share);
  return window;
}

}  // namespace

Result<std::shared_ptr<RemoteConsumer>> RemoteConsumer::make(
    const wire::Consumer& terms, std::span<os::Fd> fds, std::int32_t pid, Allowances& allowances,
    std::weak_ptr<Hub> hub, bool reads_files) {
  const bool mapped = terms.way == wire::Way::kMapped;
  if (fds.size() != (mapped ? 3U : 2U)) {
    return fail(Errc::connection_reset, "a consumer with too few or too many descriptors");
  }
  auto descriptor = allowances.descriptors.take(1);
  if (!descriptor) return fail(Errc::full, kNoDescriptors);
  const Result<PostedLayout> layout = PostedLayout::make(terms.depth);
  if (!layout) return std::unexpected(layout.error());
  const Result<std::uint64_t> size = os::sealed_size(fds[kFdPosted]);
  if (!size) return std::unexpected(size.error());
  if (*size != layout->size) return fail(Errc::connection_reset, "a posted ring of another size");
  Result<MappedShare> share = take_mapped(allowances, mapped ? terms.map_size : 0, mapped ? 3 : 2);
  if (!share) return std::unexpected(share.error());
  Result<os::Mapping> posted = os::Mapping::map(fds[kFdPosted], *size);
  if (!posted) return std::unexpected(posted.error());
  Result<os::Window> memory = mapped ? map_memory(fds[kFdMemory], terms, *share) : os::Window();
  if (!memory) return std::unexpected(memory.error());
  Result<os::Window> seats = make_seats();
  if (!seats) return std::unexpected(seats.error());
  return std::make_shared<RemoteConsumer>(terms,
                                          Parts{.line = std::move(fds[kFdLine]),
                                                .posted = std::move(*posted),
                                                .descriptor = std::move(descriptor),
                                                .mapped = std::move(*share),
                                                .memory = std::move(*memory),
                                                .seats = std::move(*seats),
                                                .layout = *layout},
                                          pid, os::register_expedited(), std::move(hub),
                                          reads_files);
}

RemoteConsumer::RemoteConsumer(const wire::Consumer& t, Parts parts, std::int32_t p,
                               bool membarrier, std::weak_ptr<Hub> hub, bool reads)
    : terms(t),
      pid(p),
      own_membarrier(membarrier),
      reads_files(reads),
      parts_(std::move(parts)),
      desk(reader_of(parts_, terms), terms.depth, seats_of(parts_.seats), !membarrier),
      hub_(std::move(hub)) {
  parts_.line.close_in_children();
}

comch::shm::Bell<comch::shm::FastMachine>& RemoteConsumer::data_bell() const {
  return comch::shm::posted_at(parts_.posted.bytes().data()).data_bell;
}

bool RemoteConsumer::asleep() const {
  // Makes no edge: a hint, by which a copy is shared or not.
  const std::uint64_t word = data_bell().word.fetch(std::memory_order_relaxed);
  return (word & comch::shm::kBellArmed) != 0;
}

Status RemoteConsumer::say(const wire::FastPacket& packet, std::span<const int> fds) const {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(packet, buffer);
  return os::send(parts_.line, std::span(buffer).first(size), fds);
}

template <class Packet>
Result<std::uint32_t> RemoteConsumer::number_of(MapLife& life, const os::Fd& fd, Packet packet) {
  const std::lock_guard lock(mutex_);
  const auto known = numbers_.find(life.id());
  if (known != numbers_.end()) return known->second;
  if (numbers_.size() == kMaxMaps) {
    return fail(Errc::full, "the consumer knows 256 memory maps or files; stop some, or use fewer");
  }
  packet.number = next_number_;
  const std::array<int, 1> fds{fd.get()};
  if (Status said = say(packet, fds); !said) return std::unexpected(said.error());
  numbers_.emplace(life.id(), next_number_);
  Audience::of(life)->add(weak_from_this());
  return next_number_++;
}

Result<std::uint32_t> RemoteConsumer::number_of(const SharedMemory& memory) {
  return number_of(*memory.life, *memory.fd,
                   wire::Map{.offset = memory.offset, .size = memory.bytes.size()});
}

Result<std::uint32_t> RemoteConsumer::number_of(SharedFile& file) {
  return number_of(file.life, file.fd, wire::File());
}

// Who was not told keeps it, and so does this side.
void RemoteConsumer::forget(std::uint64_t memory) {
  const std::shared_ptr<Hub> hub = hub_.lock();
  if (!hub || gone()) return;
  wire::MapEnd packet;
  {
    const std::lock_guard lock(mutex_);
    const auto node = numbers_.extract(memory);
    if (node.empty()) return;
    packet.number = node.mapped();
  }
  if (!say(packet, {})) hub->say_later(shared_from_this(), packet);
}

}  // namespace comch::transport::shm
