// ProducerOutbox: messages on their way into the buffers that a remote consumer has posted.
//
// A message is copied into the next posted buffer, at once where that lies in memory that
// both sides map. Where it does not, the library copies it in the background, and until that
// is over the next message waits.
//
// Threads: the loop's. Lifetime: outlives its producer and its connection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comch/producer.h"
#include "fast_link.h"
#include "outbox.h"
#include "part_mark.h"

namespace comch::fuse {

class ProducerOutbox final : public Outbox {
 public:
  // What `send` takes, and the longest part of a long message.
  static constexpr std::size_t kMessageMax = std::size_t{1} << 20;

  ProducerOutbox(EngineHost& host, std::shared_ptr<FastLink> link);
  ~ProducerOutbox() override;

  // too_big: longer than the posted buffer, which stays posted. invalid_value: the consumer
  // takes less immediate data.
  Status send_first(std::span<const std::byte> message) override;
  std::size_t max_message_size() const override { return kMessageMax; }
  std::unique_ptr<Put> begin_put() override;
  int refusal() const override;
  const char* why_refused() const override;

  // Null: it does not run.
  void set_producer(Producer* producer);
  void set_target(ConsumerId target);
  std::optional<ConsumerId> target() const { return target_; }
  void set_immediate(std::vector<std::byte> immediate) { immediate_ = std::move(immediate); }
  const std::vector<std::byte>& immediate() const { return immediate_; }
  void on_expired(ConsumerId consumer);
  // The object, or the connection, is no more: whoever waits gets `error`.
  void end(int error);
  // After progress(): what waits for the library's own copying may go on, or all is over.
  void look_again();
  bool is_idle() const { return waiting() == 0 && !has_begun() && !is_copying(); }

  // Of a put, by parts (part_mark.h).
  // Sends as much of `bytes` as one posted buffer holds, and answers how much that was. The
  // mark says that more follow, unless it is all of `bytes` and `is_end`.
  Result<std::size_t> send_part(std::span<const std::byte> bytes, bool is_end);
  // How long a message the next posted buffer holds.
  Result<std::size_t> next_room();
  // Parts are sent, and not the last: nothing else may go to this consumer.
  bool has_begun() const { return target_ && link_->is_taken_by(*target_, *this); }
  // Of the put that has begun.
  bool has_room_for_part() const { return refusal() == 0 && can_send(); }
  // No more parts will come. The other side is told as soon as there is room.
  void cut_short();
  // Counts up: a put that had begun before is over.
  std::uint64_t cuts() const { return cuts_; }

 private:
  class CutShort;

  bool can_send() const override;
  bool is_within_put() const override { return has_begun(); }
  bool is_reachable() const override;
  void request_space() override;
  bool is_copying() const { return producer_ != nullptr && target_ && producer_->busy(*target_); }
  // again: another outbox has the consumer, or the last message is still being copied.
  Status check_free() const;
  Status check_allowed() const;
  // As much of `bytes` as fits in the next posted buffer if `may_split`, else all or nothing.
  // The immediate data depends on whether it was all.
  using Immediate = std::function<std::vector<std::byte>(bool is_all)>;
  Result<std::size_t> give(std::span<const std::byte> bytes, bool may_split,
                           const Immediate& immediate);
  Result<std::size_t> give_by_library(std::span<const std::byte> bytes, bool may_split,
                                      const Immediate& immediate);
  Status hand_to_library(std::span<const std::byte> bytes, std::span<const std::byte> immediate);
  Status send_cut();
  void release_target();

  const std::shared_ptr<FastLink> link_;
  Producer* producer_ = nullptr;
  std::optional<ConsumerId> target_;
  bool is_target_gone_ = false;
  std::vector<std::byte> immediate_;
  int end_ = 0;  // Once it has ended: an errno.
  std::uint64_t cuts_ = 0;
  bool wants_look_ = false;
  std::size_t staged_part_ = kMessageMax;  // What a buffer that is not mapped seems to hold.
  std::vector<std::byte> under_way_;       // What the library copies from.
};

}  // namespace comch::fuse
