// KernelIo: asks the kernel for transfers: through an io_uring that is a Ring's own and nobody
// else's, so that what is registered in it, and how full its queues are, is nobody else's either.
//
//   io.begin(transfer);  ...;  io.flush();                     // One system call for all.
//   io.reap([](Transfer& t, std::int64_t res) { ... });        // None.
//
// Where there is no io_uring to be had, or its descriptor is closed under it, PollIo goes on.
// Such a ring lives as long as it is mapped, so that what it had under way completes.
//
// Registered memory is pinned: the kernel reads into it and writes from it without looking its
// pages up. Registered files are held open. Both are left out where the kernel does not have
// them (before 5.19 there is no table of memory to add to) or refuses (RLIMIT_MEMLOCK).
//
// A single read of a registered file that is cached goes without the ring (read_now.h).
//
// Threads: the ring's. Lifetime: the ring's; memory of transfers goes after drain().
// Errors: results of transfers, negative errnos.
#pragma once

#include <liburing.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comch/result.h"
#include "comch/shown_file.h"
#include "comch/uring/file_use.h"
#include "poll_io.h"
#include "read_now.h"
#include "transfer.h"

namespace comch::uring {

class KernelIo {
 public:
  struct Options {
    std::uint32_t transfers = 0;  // At a time; 0: there are none.
    bool without_ring = false;
    bool without_registration = false;
  };
  static constexpr std::uint32_t kMaxFiles = 256;
  static constexpr std::uint32_t kMaxPieces = 64;                       // Of registered memory,
  static constexpr std::uint64_t kPieceSize = std::uint64_t{1} << 30U;  // each at most so long.
  // Copied to registered memory, these take 0.93 of the time where all is in a cache; 256 KiB the
  // same, and 16 MiB 1.25 of it.
  static constexpr std::uint64_t kFewPages = std::uint64_t{1} << 16U;

  explicit KernelIo(const Options& options);
  ~KernelIo();
  KernelIo(const KernelIo&) = delete;
  KernelIo& operator=(const KernelIo&) = delete;

  bool has_ring() const { return state_ == State::kRing; }
  bool registers_files() const { return has_ring() && files_registered_; }
  bool registers_memory() const { return has_ring() && memory_registered_; }

  // full: kMaxFiles are. operating_system: it is no descriptor. kShown: see ShownFile::create().
  Result<int> register_file(int fd, FileUse use = FileUse::kOwn);
  // invalid_value: it is none.
  Status unregister_file(int number);
  // not_supported: see above. no_memory: the kernel may not pin so much. full: kMaxPieces are.
  // already_exist: some of it is.
  Status register_memory(std::span<std::byte> memory);
  void unregister_memory(std::span<std::byte> memory);

  bool is_open(int fd, bool fixed_file) const { return plain(fd, fixed_file) >= 0; }
  // The file, if it may be shown. Null: it may not.
  const ShownFile* shown(int fd, bool fixed_file) const {
    return fixed_file && plain(fd, true) >= 0 ? shown_[static_cast<std::size_t>(fd)].get()
                                              : nullptr;
  }
  bool is_direct(int fd, bool fixed_file) const;
  // Whether a transfer is of this file, by the same name or by a number and the descriptor that
  // it was registered by.
  bool is_same_file(const Transfer& a, int fd, bool fixed_file) const {
    if (a.fd == fd && a.fixed_file == fixed_file) return true;
    return (a.fixed_file || fixed_file) && origin(a.fd, a.fixed_file) == origin(fd, fixed_file) &&
           is_one_file(plain(a.fd, a.fixed_file), plain(fd, fixed_file));
  }
  // Whether registered memory is of use to a file, whatever the size: a disk is told its pages.
  // What lies in the page cache is copied, to registered memory page by page, which is better for a
  // few pages and worse for many. Of a file that is not registered it is not known, and asking for
  // each transfer would cost more than it saves.
  bool passes_by_the_cache(int fd, bool fixed_file) const {
    return fixed_file && plain(fd, true) >= 0 && direct_[static_cast<std::size_t>(fd)];
  }

  // With Transfer::polling, until the descriptor is ready.
  void begin(Transfer& transfer) { queue_.push_back(transfer); }
  // It ends soon, cancelled or not.
  void cancel(Transfer& transfer);
  void flush() {
    if (!queue_.empty() || !submitted_.empty()) submit();
  }
  template <class Done>
  bool reap(Done&& done) {
    bool did = false;
    std::int64_t res = 0;
    if (Transfer* const t = now_.take(res)) {
      done(*t, res);
      did = true;
    }
    while (Transfer* t = in_kernel_ == 0 ? nullptr : next_completed(res)) {
      done(*t, res);
      did = true;
    }
    if (poll_.empty()) [[likely]]
      return did;
    for (const PollIo::Ready& ready : poll_.take_ready()) {
      done(*ready.transfer, PollIo::attempt(ready));
      did = true;
    }
    return did;
  }

  // What a wait for transfers is to wait for: a ring, a number of descriptors, or, when the ring
  // is lost and there is nothing to wait for, time.
  bool is_idle() const { return in_kernel_ == 0 && poll_.empty(); }
  int ring_fd() const { return has_ring() && in_kernel_ != 0 ? ring_.ring_fd : -1; }
  std::span<const pollfd> descriptors() {
    return poll_.empty() ? std::span<const pollfd>() : poll_.descriptors();
  }
  bool is_lost() const { return state_ == State::kLost && in_kernel_ != 0; }
  // Waits for what is in the kernel, whose memory may go then. To be cancelled before. False: it
  // has waited for long, and some is there yet.
  bool drain();

 private:
  enum class State : std::uint8_t { kNone, kRing, kLost };
  struct Piece {
    std::byte* begin = nullptr;  // Null: free.
    std::uint64_t size = 0;
  };

  int plain(int fd, bool fixed_file) const;
  // The descriptor that it was registered by, which may be another file's by now.
  int origin(int fd, bool fixed_file) const {
    return fixed_file && plain(fd, true) >= 0 ? origins_[static_cast<std::size_t>(fd)] : fd;
  }
  static bool is_one_file(int a, int b);
  void submit();
  bool read_now();
  void fill(io_uring_sqe& sqe, const Transfer& transfer) const;
  void on_refused(int error);
  void move_to_poll();
  Transfer* next_completed(std::int64_t& res);
  int find_piece(const std::byte* at) const;
  bool overlaps(std::span<const std::byte> memory) const;
  Status set_piece(std::uint32_t n, Piece piece);

  io_uring ring_{};
  State state_ = State::kNone;
  bool files_registered_ = false;
  bool memory_registered_ = false;
  TransferList queue_;                // Begun, and not asked for.
  std::vector<Transfer*> submitted_;  // Asked for, and not taken by the kernel; null: a cancel.
  std::uint32_t in_kernel_ = 0;
  ReadNow now_;
  PollIo poll_;
  std::array<int, kMaxFiles> files_{};
  std::array<int, kMaxFiles> origins_{};
  std::array<std::unique_ptr<ShownFile>, kMaxFiles> shown_;
  std::bitset<kMaxFiles> direct_;  // Of those: opened with O_DIRECT.
  std::array<Piece, kMaxPieces> pieces_{};
  std::uint32_t pieces_used_ = 0;
};

}  // namespace comch::uring
