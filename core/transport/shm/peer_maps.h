// PeerMaps: the memory maps that a consumer was shown by the process of its producers, so that
// messages may speak of them by number. One that has ended stays mapped for as long as something
// may still speak of it: a message that is not read yet, or one that the application holds.
//
//   PeerMaps maps(Descriptors::kClosed);    // None is needed once it is mapped;
//   maps.add({.number = 3, ...}, fds, allowances);
//   PeerMap* map = maps.find(3);            // ++map->holds for each buffer that is handed over
//   maps.end(3);                            // Its number is `ends()` from here on.
//   maps.unmap(passed);                     // No lane has what came ahead of so many ends.
//
// kKept are the descriptors where what was handed over is not to be read in place: a page that
// nobody wrote is made when a mapping of it is read, and not by pread(2). Each is the peer's share.
//
// The peer says when a map ends, and may say it at any time: only this side's counts unmap one.
//
// Threads: the consumer's. Lifetime: a map stays where it is until it is unmapped, which no map
// that is held is. Errors: of add(), see there.
// Tests: peer_maps_test.cc, map_end_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/checked.h"
#include "os/fd.h"
#include "os/window.h"
#include "transport/shm/allowances.h"
#include "wire/fast_packet.h"

namespace comch::transport::shm {

enum class Descriptors : std::uint8_t { kClosed, kKept };

struct PeerMap {
  // What is mapped, as long as anybody holds it.
  struct Memory {
    os::Window window;
    std::shared_ptr<const void> descriptor_share = nullptr;
    os::Fd file = {};          // kKept; else none.
    std::uint64_t offset = 0;  // Of the window, in it.

    // Where in the file a byte of the window is.
    std::uint64_t file_offset(const std::byte* at) const {
      return offset + static_cast<std::uint64_t>(at - window.bytes().data());
    }
  };

  std::shared_ptr<const Memory> memory;
  std::uint64_t holds = 0;  // Messages in it that the application has not given back.
  std::uint64_t end = 0;    // The how-manieth it was to end; 0: it has not.

  std::span<std::byte> bytes() const { return memory->window.bytes(); }
  bool contains(const std::byte* at) const;
};

class PeerMaps {
 public:
  static constexpr std::size_t kMost = 1024;  // That have not ended.

  explicit PeerMaps(Descriptors descriptors) : descriptors_(descriptors) {}

  // connection_reset: no correct peer says this. no_memory, full: the peer has its share. Others:
  // it cannot be mapped here.
  Status add(const wire::Map& map, std::span<os::Fd> fds, Allowances& allowances);
  // False: no correct peer says this.
  bool end(std::uint32_t number);
  // Null: there is none, or none any more.
  PeerMap* find(std::uint32_t number);

  // How many have ended so far.
  std::uint64_t ends() const { return ends_; }
  bool ending() const { return ending_ != 0; }  // Some of them are still mapped.
  // Unmaps what is among the first `passed` of those, and not held.
  void unmap(std::uint64_t passed);

  // What a lane that is no more had handed over is still held.
  void keep(std::uint32_t producer, std::uint32_t handle, PeerMap& map);
  // It is not; `at` lies in it. Nothing is done if there is no such thing.
  void let_go(std::uint32_t producer, std::uint32_t handle, const std::byte* at);

  // The memory that all the bytes lie in; it stays mapped until nobody has the answer. Null: none.
  std::shared_ptr<const PeerMap::Memory> hold(std::span<const std::byte> bytes) const;

  std::size_t mapped() const { return maps_.size(); }

 private:
  Result<PeerMap::Memory> take(os::Fd& fd, Range range, Allowances& allowances) const;

  struct Kept {
    std::uint32_t producer;
    std::uint32_t handle;
    PeerMap* map;
  };

  const Descriptors descriptors_;
  std::map<std::uint32_t, PeerMap> maps_;  // By number.
  std::vector<Kept> kept_;
  std::uint64_t next_ = 0;  // The least number that was not said yet.
  std::uint64_t ends_ = 0;
  std::size_t ending_ = 0;  // Of maps_.
};

}  // namespace comch::transport::shm
