// Transfers: those that are under way: takes them on through interruptions, short counts and
// descriptors that are not ready, until they are over.
//
//   Transfer* t = transfers.take(Transfers::kReading);       // Null: all are under way.
//   ...                                                      // What, where, how much.
//   transfers.start(*t);
//   transfers.look([&](Transfer& over) { use(over.res, over.done); transfers.release(over); });
//
// `Kinds::Io` asks the kernel; a test's own fails as it is told.
//
// Threads: the ring's. Lifetime: the ring's. Errors: Transfer::res.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "transfer.h"

namespace comch::uring {

template <class Kinds>
class Transfers {
 public:
  using Io = Kinds::Io;
  enum Direction : std::uint8_t { kReading, kWriting };

  Transfers(Io& io, std::uint32_t each)
      : io_(io), each_(each), all_(std::make_unique<Transfer[]>(std::size_t{2} * each)) {
    for (std::uint32_t n = 0; n < each; ++n) {
      free_[kReading].push_back(all_[n]);
      free_[kWriting].push_back(all_[each + n]);
    }
  }

  // Cancels all, and waits for the kernel to be done with their memory. False: it hangs.
  bool end() {
    for (Transfer& t : all()) {
      if (t.in_kernel) io_.cancel(t);
    }
    return io_.drain();
  }
  // Those that are somebody's, under way or not.
  template <class Each>
  void for_each_taken(Each&& each) {
    for (Transfer& t : all()) {
      if (t.op != nullptr) each(t);
    }
  }

  // Whether one that is somebody's names a registered file.
  bool is_named(int number) const {
    return std::ranges::any_of(
        std::span(all_.get(), std::size_t{2} * each_),
        [&](const Transfer& t) { return t.op != nullptr && t.fixed_file && t.fd == number; });
  }

  bool exist() const { return each_ != 0; }
  // From here on op.handle, which was its descriptor, is the transfer.
  Transfer* take(Direction direction, Operation& op) {
    Transfer* const t = free_[direction].pop_front();
    if (t == nullptr) return nullptr;
    t->fd = static_cast<int>(op.handle);
    t->fixed_file = (op.flags & kFixedFile) != 0;
    t->all = t->polling = t->cancelled = t->in_kernel = t->direct = t->lent = false;
    t->flags = 0;
    t->offset = kPosition;
    t->done = 0;
    t->res = 0;
    t->op = &op;
    op.handle = static_cast<std::uint32_t>(t - all_.get());
    return t;
  }
  void release(Transfer& t) {
    t.op = nullptr;
    free_[&t - all_.get() < static_cast<std::ptrdiff_t>(each_) ? kReading : kWriting].push_back(t);
  }
  Transfer& of(const Operation& op) { return all_[op.handle]; }

  bool is_open(int fd, bool fixed_file) const { return io_.is_open(fd, fixed_file); }
  const ShownFile* shown(int fd, bool fixed_file) const { return io_.shown(fd, fixed_file); }
  // Whether the order of what comes from or goes to the descriptor would be anybody's guess.
  bool is_streaming(Direction direction, int fd, bool fixed_file) const {
    if (under_way_ == 0) return false;
    const std::span all(all_.get() + (direction == kReading ? 0 : each_), each_);
    return std::ranges::any_of(all, [&](const Transfer& t) {
      return t.in_kernel && t.is_stream() && is_of(t, fd, fixed_file);
    });
  }
  bool is_of(const Transfer& t, int fd, bool fixed_file) const {
    return io_.is_same_file(t, fd, fixed_file);
  }

  // `bytes`, `length` and the rest are set. A length of 0 is over at once, and must not come here.
  void start(Transfer& t) {
    t.in_kernel = true;
    ++under_way_;
    io_.begin(t);
  }
  // False: it is not in the kernel. It ends as any other.
  bool cancel(Transfer& t) {
    if (!t.in_kernel || t.cancelled) return false;
    t.cancelled = true;
    io_.cancel(t);
    return true;
  }

  bool is_waiting() const { return under_way_ != 0; }
  // What was begun since, goes to the kernel; `finish` is told of what is over.
  template <class Finish>
  bool look(Finish&& finish) {
    io_.flush();
    return io_.reap([&](Transfer& t, std::int64_t res) {
      if (!advance(t, res)) return;
      t.in_kernel = false;
      --under_way_;
      finish(t);
    });
  }

 private:
  std::span<Transfer> all() { return {all_.get(), std::size_t{2} * each_}; }
  // True: it is over, and t.res says how.
  bool advance(Transfer& t, std::int64_t res) {
    if (t.polling) {
      t.polling = false;
      return res < 0 ? ends(t, res) : goes_on(t);
    }
    if (res > 0) return count(t, static_cast<std::uint64_t>(res));
    if (res == 0) return t.reads() ? ends(t, 0) : ends(t, -EIO);
    if (res == -EINTR) return goes_on(t);
    if (res == -EAGAIN && (t.flags & kDoNotWait) == 0) {
      t.polling = true;
      return goes_on(t);
    }
    if (res == -EINVAL && io_.is_direct(t.fd, t.fixed_file)) return take_aligned(t);
    return ends(t, res);
  }
  static constexpr int kDoNotWait = 0x40;  // MSG_DONTWAIT

  bool count(Transfer& t, std::uint64_t bytes) {
    t.done += bytes;
    // Past what is wanted lies what was read for the sake of whole blocks.
    t.done = std::min(t.done, t.length);
    const bool received = t.call == Transfer::Call::kReceive && !t.all;
    return t.done == t.length || received ? ends(t, 0) : goes_on(t);
  }
  bool goes_on(Transfer& t) {
    if (t.cancelled) return ends(t, -ECANCELED);
    io_.begin(t);
    return false;
  }
  bool ends(Transfer& t, std::int64_t res) {
    const bool taken = t.reads() && t.is_stream() && t.done != 0;
    t.res = res < 0 && !taken ? res : static_cast<std::int64_t>(t.done);
    return true;
  }

  // O_DIRECT did not take an address or a length. Whole blocks of our own it does.
  bool take_aligned(Transfer& t) {
    // So ends a file, and nothing else. Disks have sectors of up to a block.
    if (t.reads() && t.done % Staging::kBlock != 0) return ends(t, 0);
    const bool hopeless = !t.reads() && (t.length % kSector != 0 || t.done % kSector != 0);
    if (t.direct || hopeless) return ends(t, -EINVAL);
    std::byte* const blocks = t.staging.reserve(Staging::round_up(t.length));
    if (blocks == nullptr) return ends(t, -ENOMEM);
    // What is there already goes along.
    std::memcpy(blocks, t.bytes, t.reads() ? t.done : t.length);
    t.bytes = blocks;
    t.direct = true;
    return goes_on(t);
  }
  static constexpr std::uint64_t kSector = 512;  // The least that a direct write may be.

  Io& io_;
  const std::uint32_t each_;
  const std::unique_ptr<Transfer[]> all_;
  std::array<TransferList, 2> free_;
  std::uint32_t under_way_ = 0;
};

}  // namespace comch::uring
