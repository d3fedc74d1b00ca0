// ReadQueue: reads that wait for a message, first come, first served.
//
// A read waits at one connection or consumer, or at a server for a message of any of its
// connections. Every read has a ticket that counts up over all queues, so that between
// the two kinds, too, the one that came first is served first.
//
// Threads: the loop's. Lifetime: a queue is outlived by nothing that waits in it: files
// are closed, and their reads with them, before it is destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "request.h"

namespace comch::fuse {

class MessageFile;
class ReadQueue;
struct Message;

// What a read made of the message it was offered.
enum class Offer : std::uint8_t {
  kTaken,    // It is answered.
  kSkipped,  // The message is used up, but the read still waits.
  kLost,     // Whoever read is gone; the message is still whole.
};

class HeldRead final : public HeldRequest {
 public:
  HeldRead(MessageFile& file, ReadQueue& queue, Request request, std::size_t size);

  Offer offer(const Message& message);
  // Asks once more, as if it came now. It is out of the queue, and may be gone after.
  void ask_again();
  // There will be no message any more.
  void end();
  std::uint64_t ticket() const { return ticket_; }

 private:
  friend class ReadQueue;
  void interrupted() override;

  MessageFile& file_;
  ReadQueue& queue_;
  const std::size_t size_;
  const std::uint64_t ticket_;
};

class ReadQueue {
 public:
  bool empty() const { return reads_.empty(); }
  HeldRead& front() { return *reads_.front(); }
  void pop() { reads_.pop_front(); }
  // The first, which is to be answered or put back.
  std::unique_ptr<HeldRead> take_first();
  void put_back(std::unique_ptr<HeldRead> read) { reads_.push_front(std::move(read)); }
  // Those of one file but for `served`.
  std::list<std::unique_ptr<HeldRead>> take_others(const HeldRead& served);

  // False: a signal was faster, and the read is answered.
  bool hold(std::unique_ptr<HeldRead> read);
  void remove(const HeldRead& read);

  void fail_all(int error);
  void end_all();

 private:
  std::list<std::unique_ptr<HeldRead>> reads_;
};

}  // namespace comch::fuse
