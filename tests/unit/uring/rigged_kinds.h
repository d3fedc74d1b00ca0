// RiggedKinds: producers, consumers, connections, files and sockets for a Machine that do what
// chance says: they take some of what they are given, have no room, are slow, end and come again.
//
// Threads: one. Lifetime: the test's; every object draws from the same generator.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "comch/connection.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/shown_file.h"
#include "uring/transfer.h"

namespace comch::uring::test {

// What every send of the test says: which submission it is.
inline std::uint64_t number_in(std::span<const std::byte> data) {
  std::uint64_t number = 0;
  std::memcpy(&number, data.data(), sizeof number);
  return number;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t most) { return random_() % most; }
  bool one_in(std::uint64_t times) { return below(times) == 0; }

 private:
  std::mt19937_64 random_;
};

class RiggedProducer {
 public:
  explicit RiggedProducer(Chance& chance) : chance_(chance) {}

  Result<std::size_t> send(ConsumerId, std::span<const Outgoing> messages) {
    if (full || busy_ != 0 || chance_.one_in(3)) return fail(Errc::again);
    if (chance_.one_in(50)) return fail(Errc::invalid_value);
    if (chance_.one_in(500)) return fail(Errc::connection_reset);
    std::size_t count = 1 + chance_.below(messages.size());
    for (std::size_t n = 0; n < count; ++n) {
      note(messages[n].data);
      if (messages[n].data.size() <= kLong || chance_.one_in(2)) continue;
      busy_ = 1 + chance_.below(4);
      count = n + 1;
    }
    return count;
  }
  bool try_send(ConsumerId, std::span<const std::byte> data) {
    if (full || busy_ != 0 || data.size() > kLong || chance_.one_in(2)) return false;
    note(data);
    return true;
  }
  std::size_t try_send(ConsumerId, const OutgoingRecords& messages) {
    if (full || busy_ != 0) return 0;
    const std::size_t most = chance_.below(messages.count + 1);
    for (std::size_t n = 0; n < most; ++n) {
      if (messages[n].size() > kLong) return n;
      note(messages[n]);
    }
    return most;
  }
  bool busy(ConsumerId) {
    if (busy_ != 0) --busy_;
    return busy_ != 0;
  }
  // What both sides read, and may not have all of.
  Status send_file(ConsumerId, const ShownFile&, std::uint64_t, std::size_t,
                   std::span<const std::byte>) {
    if (full || busy_ != 0 || chance_.one_in(3)) return fail(Errc::again);
    if (chance_.one_in(4)) return fail(Errc::not_supported);
    if (chance_.one_in(50)) return fail(Errc::invalid_value);
    busy_ = 1 + chance_.below(4);
    ++files;
    return {};
  }
  Status ending(ConsumerId) const {
    if (lacks || chance_.one_in(5)) return fail(Errc::io_failed);
    return chance_.one_in(50) ? fail(Errc::connection_reset) : Status();
  }
  static bool reaches(ConsumerId) { return true; }
  Status request_space(ConsumerId) {
    ++asked_for_space;
    return {};
  }
  Result<Loan> reserve(ConsumerId consumer) {
    if (busy_ != 0 || chance_.one_in(3)) return fail(Errc::again);
    if (chance_.one_in(10)) return fail(chance_.one_in(2) ? Errc::full : Errc::not_supported);
    lent_.push_back(++handle_);
    return Loan{.room = room_, .consumer = consumer, .handle = handle_};
  }
  Status commit(const Loan& loan, std::size_t, std::span<const std::byte>) { return end(loan); }
  Result<std::size_t> reserve(ConsumerId consumer, std::span<Loan> loans) {
    return some(loans, [&](Loan& loan) {
      const Result<Loan> lent = reserve(consumer);
      if (lent) loan = *lent;
      return lent ? Status{} : std::unexpected(lent.error());
    });
  }
  Result<std::size_t> commit(std::span<const FilledLoan> loans) {
    return some(loans, [&](const FilledLoan& filled) { return end(filled.loan); });
  }
  Status abandon(const Loan& loan) {
    return std::erase(lent_, loan.handle) != 0 ? Status{} : fail(Errc::invalid_value);
  }
  Result<PeerMemory> memory(ConsumerId) {
    return PeerMemory{.bytes = room_,
                      .hold = std::shared_ptr<const void>(room_.data(), [](auto*) {})};
  }
  Status hand_over(ConsumerId, Buffer& buffer, std::span<const std::byte>) {
    if (busy_ != 0 || chance_.one_in(3)) return fail(Errc::again);
    if (chance_.one_in(10)) return fail(Errc::not_supported);
    handed.push_back(&buffer);
    return {};
  }
  const Failure& failure() const { return failure_; }
  // Whoever has this loan does not want it any more.
  void drop(std::uint32_t handle) { std::erase(lent_, handle); }
  std::size_t lent() const { return lent_.size(); }

  static constexpr std::size_t kLong = 4096;
  std::vector<std::uint64_t> sent;  // In the order it was taken.
  std::deque<Buffer*> handed;
  std::uint64_t asked_for_space = 0;
  std::uint64_t files = 0;  // Both sides were asked for.
  bool lacks = false;       // Of those nothing is all there.
  bool full = false;        // Nothing that is sent finds room.

 private:
  // What files are read into is zeros, and no number.
  void note(std::span<const std::byte> data) {
    const std::uint64_t number = data.size() == 8 || data.size() > kLong ? number_in(data) : 0;
    if (number != 0) sent.push_back(number);
  }
  template <class Loans, class Each>
  static Result<std::size_t> some(Loans loans, const Each& each) {
    std::size_t count = 0;
    for (auto& loan : loans) {
      const Status s = each(loan);
      if (!s && count == 0) return std::unexpected(s.error());
      if (!s) break;
      ++count;
    }
    return count;
  }
  Status end(const Loan& loan) {
    if (busy_ != 0 || chance_.one_in(3)) return fail(Errc::again);
    return std::erase(lent_, loan.handle) != 0 ? Status{} : fail(Errc::invalid_value);
  }

  Chance& chance_;
  std::uint64_t busy_ = 0;
  std::array<std::byte, 64> room_{};
  std::vector<std::uint32_t> lent_;
  std::uint32_t handle_ = 0;
  Failure failure_;
};

class RiggedConsumer {
 public:
  // Without tasks it is one that is looked at.
  RiggedConsumer(Chance& chance, std::uint32_t tasks) : chance_(chance), tasks_(tasks) {}

  std::uint32_t immediate_size() const { return 8; }
  std::uint32_t tasks() const { return tasks_; }
  std::size_t posted() const { return posted_.size() + back_.size(); }
  ContextState state() const { return stopping ? ContextState::kStopping : ContextState::kRunning; }
  const Failure& failure() const { return failure_; }
  void set_polling(Polling how) { polling = how; }

  Result<std::size_t> post(std::span<Buffer* const> buffers) {
    if (stopping) return fail(Errc::bad_state);
    const std::size_t count = std::min<std::size_t>(buffers.size(), tasks_ - posted());
    posted_.insert(posted_.end(), buffers.begin(),
                   buffers.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  std::size_t poll(std::span<Received> out) {
    return fill(out.size(), [&](std::size_t n, Buffer* buffer) {
      out[n] = {.buffer = buffer,
                .immediate = std::span(immediate_).first(chance_.below(9)),
                .handed_over = {},
                .producer = ProducerId{1}};
    });
  }
  std::size_t poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags) {
    return fill(out.size(), [&](std::size_t n, Buffer* buffer) {
      out[n] = {};
      out[n].user_data = user_data;
      out[n].flags = flags;
      out[n].producer = ProducerId{1};
      out[n].buffer = buffer;
      out[n].immediate_data = immediate_.data();
      out[n].immediate_size = static_cast<std::uint32_t>(chance_.below(9));
    });
  }
  std::size_t take_back(std::span<Buffer*> out) {
    if (stopping) {
      back_.insert(back_.end(), posted_.begin(), posted_.end());
      posted_.clear();
    }
    const std::size_t count = std::min<std::size_t>(out.size(), chance_.below(back_.size() + 1));
    std::copy_n(back_.begin(), count, out.begin());
    back_.erase(back_.begin(), back_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  Status give_back(const HandedOver&) { return {}; }

  DataWay way() const { return tasks_ == 0 ? DataWay::kView : DataWay::kMapped; }
  std::size_t poll_views(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags,
                         void* owner) {
    const std::size_t count = stopping ? 0 : chance_.below(out.size() + 1);
    for (Incoming& record : out.first(count)) {
      record = {};
      record.user_data = user_data;
      record.flags = flags;
      record.owner = owner;
      record.view = immediate_.data();
      record.size = immediate_.size();
    }
    shown += count;
    return count;
  }
  Status release_views(std::size_t count) {
    if (count > shown) return fail(Errc::invalid_value);
    shown -= count;
    return {};
  }

  bool stopping = false;
  std::size_t shown = 0;
  Polling polling = Polling::kAlone;

 private:
  template <class Put>
  std::size_t fill(std::size_t most, Put put) {
    std::size_t count = 0;
    while (count < most && !posted_.empty() && !chance_.one_in(3)) {
      // Several producers may overtake one another.
      const auto at =
          static_cast<std::ptrdiff_t>(chance_.one_in(4) ? chance_.below(posted_.size()) : 0);
      put(count++, posted_[static_cast<std::size_t>(at)]);
      posted_.erase(posted_.begin() + at);
    }
    return count;
  }

  Chance& chance_;
  const std::uint32_t tasks_;
  std::deque<Buffer*> posted_;
  std::deque<Buffer*> back_;
  std::array<std::byte, 8> immediate_{};
  Failure failure_;
};

class RiggedConnection {
 public:
  explicit RiggedConnection(Chance& chance) : chance_(chance) {}

  Status try_send(std::span<const std::byte> message) {
    if (chance_.one_in(3)) return fail(Errc::again);
    if (chance_.one_in(50)) return fail(Errc::too_big);
    sent.push_back(number_in(message));
    return {};
  }
  ConnectionState state() const {
    return left ? ConnectionState::kClosed : ConnectionState::kEstablished;
  }
  const std::optional<Error>& loss() const { return loss_; }
  bool paused() const { return false; }
  void resume() {}
  void request_space() {}

  std::vector<std::uint64_t> sent;
  bool left = false;

 private:
  Chance& chance_;
  std::optional<Error> loss_;
};

// Files and sockets that come short, fail, are interrupted, are not ready, end, and are slow.
class RiggedIo {
 public:
  explicit RiggedIo(Chance& chance) : chance_(chance) {}

  bool is_open(int fd, bool) const { return fd != kClosed; }
  bool is_direct(int fd, bool) const { return fd == kDirect; }
  const ShownFile* shown(int fd, bool) const { return fd == kShown ? &shown_ : nullptr; }
  bool is_same_file(const Transfer& transfer, int fd, bool) const { return transfer.fd == fd; }
  void begin(Transfer& transfer) {
    EXPECT_TRUE(std::ranges::find(asked_, &transfer) == asked_.end()) << "asked for twice at once";
    EXPECT_TRUE(transfer.size() != 0);
    asked_.push_back(&transfer);
  }
  void cancel(Transfer& transfer) { cancelled_ = &transfer; }
  void flush() {}
  template <class Done>
  bool reap(Done&& done) {
    if (hangs) return false;
    bool did = false;
    for (std::size_t n = asked_.size(); n > 0; --n) {
      Transfer& transfer = *asked_.front();
      asked_.pop_front();
      if (chance_.one_in(3)) {
        asked_.push_back(&transfer);
        continue;
      }
      done(transfer, result(transfer));
      did = true;
    }
    return did;
  }
  bool drain() {
    asked_.clear();
    return true;
  }
  bool empty() const { return asked_.empty(); }

  static constexpr int kClosed = 3;
  static constexpr int kDirect = 4;
  static constexpr int kShown = 5;
  bool hangs = false;  // Nothing comes of what is asked for.

 private:
  std::int64_t result(Transfer& transfer) {
    if (&transfer == cancelled_ && chance_.one_in(2)) return -ECANCELED;
    if (transfer.polling) return chance_.one_in(20) ? -EBADF : 1;
    if (chance_.one_in(10)) return -EINTR;
    if (chance_.one_in(10)) return -EAGAIN;
    if (chance_.one_in(10)) return -EIO;
    if (chance_.one_in(10)) return -EINVAL;
    if (chance_.one_in(20)) return 0;
    const std::uint64_t bytes = 1 + chance_.below(transfer.size());
    if (transfer.reads()) std::memset(transfer.at(), 0, bytes);
    return static_cast<std::int64_t>(bytes);
  }

  struct RiggedFile final : ShownFile {};

  Chance& chance_;
  RiggedFile shown_;
  std::deque<Transfer*> asked_;
  const Transfer* cancelled_ = nullptr;
};

struct RiggedKinds {
  using Io = RiggedIo;
  using Producer = RiggedProducer;
  using Consumer = RiggedConsumer;
  using Connection = RiggedConnection;
  static comch::Connection* shown(Connection& /*connection*/) { return nullptr; }
  static std::uint64_t now_ns() { return now; }
  static inline std::uint64_t now = 0;
};

}  // namespace comch::uring::test
