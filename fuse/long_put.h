// LongPut: a put through a producer: one message when the posted buffer holds it, else parts
// (part_mark.h).
//
//   write() --> kept --> one message             it fits
//                   `--> part, part, ... last    it does not; each goes as soon as there is room
//
// What is kept is at most 16 MiB: a longer message is sent in parts even if the buffers that
// are posted would hold it.
//
// Threads: the loop's. Lifetime, errors: as Put.
#pragma once

#include <cstdint>
#include <vector>

#include "producer_outbox.h"
#include "put.h"

namespace comch::fuse {

class LongPut final : public Put {
 public:
  explicit LongPut(ProducerOutbox& outbox) : outbox_(outbox), cuts_(outbox.cuts()) {}
  ~LongPut() override;

  Result<std::size_t> write(std::span<const std::byte> bytes, bool is_first_in_line) override;
  Status finish(bool is_first_in_line) override;
  std::size_t size() const override { return size_; }
  std::size_t kept() const override { return kept_.size(); }
  bool has_begun() const override { return has_begun_; }
  bool has_room() const override { return kept_.size() < limit_ || outbox_.has_room_for_part(); }

 private:
  // Whether nothing else of this outbox comes before it.
  bool may_send(bool is_first_in_line) const {
    return has_begun_ || is_first_in_line || !outbox_.is_taken();
  }
  Status make_room();
  Status send_parts(bool is_end);
  // The outbox has told the other side that no more will come.
  bool is_over() const { return has_begun_ && cuts_ != outbox_.cuts(); }

  ProducerOutbox& outbox_;
  std::uint64_t cuts_;
  std::vector<std::byte> kept_;
  std::size_t sent_ = 0;  // Of kept_.
  std::size_t limit_ = ProducerOutbox::kMessageMax;
  std::size_t size_ = 0;
  bool has_begun_ = false;
  bool is_finished_ = false;
};

}  // namespace comch::fuse
