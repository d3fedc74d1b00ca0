// RemoteConsumer: a consumer of the other side, as the producers of this process share it: its
// posted ring, the desk they take posted buffers from, and its memory where that is mapped.
//
// Ordering:
//
//   GONE   gone.store(release) -> load(acquire)
//          a guard for the flag alone; nothing is published with it.
//
// Threads: any; what changes is in the desk, in `gone` and behind a mutex.
// Lifetime: shared by the hub and the lanes to it. Errors: of make(), see there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include "os/fd.h"
#include "os/memfd.h"
#include "os/window.h"
#include "shm/desk.h"
#include "shm/fast_layout.h"
#include "transport/map_life.h"
#include "transport/shm/allowances.h"
#include "wire/fast_packet.h"

namespace comch::transport::shm {

class Hub;

// Memory of this process that may be shown to a peer.
struct SharedMemory {
  MapLife* life = nullptr;  // Its id is another one for other memory, for ever.
  const os::Fd* fd = nullptr;
  std::uint64_t offset = 0;  // Of the bytes in it.
  std::span<const std::byte> bytes;
};

// A file of this process that may be shown to peers: they may read all of it.
struct SharedFile {
  explicit SharedFile(os::Fd f) : fd(std::move(f)) {}
  const os::Fd fd;
  MapLife life{{}};  // Its id is another one for each.
};

// What number_of() has answered last, for one thread that asks for the same again and again.
struct LastShown {
  std::uint64_t id = 0;  // Of the memory; 0: of none.
  std::uint32_t number = 0;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the desk has cache lines of its own.
class RemoteConsumer : public std::enable_shared_from_this<RemoteConsumer> {
 public:
  using Desk = comch::shm::Desk<>;

  // From what its process has sent. connection_reset: no correct peer sends this.
  // no_memory, full: the peer has its share. operating_system, no_memory: it cannot be mapped here.
  // `hub`: where it says what its line is too full for now; none: its process does not know
  // wire::MapEnd. `reads_files`: it does know wire::File.
  static Result<std::shared_ptr<RemoteConsumer>> make(const wire::Consumer& terms,
                                                      std::span<os::Fd> fds, std::int32_t pid,
                                                      Allowances& allowances,
                                                      std::weak_ptr<Hub> hub, bool reads_files);

  struct Parts {
    os::Fd line;
    os::Mapping posted;
    std::shared_ptr<const void> descriptor;  // The share of `line`,
    MappedShare mapped;                      // and that of the windows and `posted`.
    os::Window memory;                       // kMapped only.
    os::Window seats;  // Fresh pages: those of seats that nobody takes are never there.
    comch::shm::PostedLayout layout;
  };
  RemoteConsumer(const wire::Consumer& terms, Parts parts, std::int32_t pid, bool membarrier,
                 std::weak_ptr<Hub> hub, bool reads_files);
  RemoteConsumer(const RemoteConsumer&) = delete;
  RemoteConsumer& operator=(const RemoteConsumer&) = delete;

  const wire::Consumer terms;
  const std::int32_t pid;     // Of its process; see os::writable_peer().
  const bool own_membarrier;  // This process has registered.
  const bool reads_files;     // Its own may be told of files.

  std::span<std::byte> memory() const { return parts_.memory.bytes(); }
  comch::shm::Bell<comch::shm::FastMachine>& data_bell() const;
  // Whether the consumer sleeps, or is about to.
  bool asleep() const;

  // The end of it: no send is accepted any more.
  bool gone() const { return gone_.load(std::memory_order_acquire); }  // GONE: meets set_gone().
  void set_gone() { gone_.store(true, std::memory_order_release); }    // GONE: met in gone().

  // Sends a packet on its line. again: its process does not read.
  Status say(const wire::FastPacket& packet, std::span<const int> fds) const;
  const os::Fd& line() const { return parts_.line; }

  // The number by which jobs and hand-overs speak of this memory; it is announced with the first.
  // again: try later. full: so many are known now. operating_system: it cannot be sent.
  Result<std::uint32_t> number_of(const SharedMemory& memory);
  // The same, without a lock when it is what was asked for last: what is forgotten has an id that
  // no other memory ever has.
  Result<std::uint32_t> number_of(const SharedMemory& memory, LastShown& last) {
    if (last.id == memory.life->id()) return last.number;
    const Result<std::uint32_t> number = number_of(memory);
    if (number) last = {.id = memory.life->id(), .number = *number};
    return number;
  }
  // The same of a file, by which readings speak of it.
  Result<std::uint32_t> number_of(SharedFile& file);
  // The memory or file of this id is stopped: it has no number any more.
  void forget(std::uint64_t memory);

 private:
  static constexpr std::size_t kMaxMaps = 256;  // And files, at a time.

  template <class Packet>
  Result<std::uint32_t> number_of(MapLife& life, const os::Fd& fd, Packet packet);

  const Parts parts_;

 public:
  Desk desk;

 private:
  std::atomic<bool> gone_{false};
  std::mutex mutex_;
  // Behind mutex_.
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // By the memory's or file's id.
  std::uint32_t next_number_ = 0;                             // None is used twice.
  const std::weak_ptr<Hub> hub_;
};

}  // namespace comch::transport::shm
