// Messages on their way into posted buffers; see producer_outbox.h.
#include "producer_outbox.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "long_put.h"

namespace comch::fuse {

// The word that no more parts will come, waiting for room.
class ProducerOutbox::CutShort final : public WaitingSend {
 public:
  explicit CutShort(ProducerOutbox& outbox) : outbox_(outbox) {}

  bool retry() override {
    const Status sent = outbox_.send_cut();
    if (!sent && sent.error().code == Errc::again) return false;
    outbox_.release_target();
    return true;
  }
  // `cancel` does not mean the reader, who would take what comes next for a part.
  void fail(int) override {
    if (outbox_.refusal() == 0) return outbox_.cut_short();
    outbox_.release_target();
  }
  bool is_promised() const override { return true; }
  Place place() const override { return Place::kFirst; }

 private:
  ProducerOutbox& outbox_;  // Which owns this.
};

ProducerOutbox::ProducerOutbox(EngineHost& host, std::shared_ptr<FastLink> link)
    : Outbox(host), link_(std::move(link)) {
  link_->join(*this);
}

ProducerOutbox::~ProducerOutbox() {
  producer_ = nullptr;  // Nothing more can be said to anybody.
  end(ENODEV);
  link_->leave(*this);
}

std::unique_ptr<Put> ProducerOutbox::begin_put() { return std::make_unique<LongPut>(*this); }

bool ProducerOutbox::is_reachable() const {
  return link_->is_open() && !is_target_gone_ && producer_ != nullptr && target_;
}

int ProducerOutbox::refusal() const {
  if (end_ != 0) return end_;
  if (is_reachable()) return 0;
  return !link_->is_open() || is_target_gone_ ? EPIPE : ENXIO;
}

const char* ProducerOutbox::why_refused() const {
  if (end_ != 0 || !link_->is_open()) return "the connection is over";
  if (is_target_gone_) {
    return "the consumer is gone; write the id of another to `target`, as `ls` of remote/ shows it";
  }
  if (!target_) return "write the id of a consumer to `target`, as `ls` of remote/ shows it";
  return "the producer does not run; write 1 to `enable`";
}

void ProducerOutbox::set_producer(Producer* producer) {
  producer_ = producer;
  if (producer_ == nullptr) {
    ++cuts_;
    release_target();
    fail_all(refusal());
  } else {
    pollers.wake();
  }
}

void ProducerOutbox::set_target(ConsumerId target) {
  if (target_ == target) return;
  target_ = target;
  is_target_gone_ = false;
  staged_part_ = kMessageMax;
  listen();
  pollers.wake();
}

void ProducerOutbox::on_expired(ConsumerId consumer) {
  if (target_ != consumer) return;
  is_target_gone_ = true;
  ++cuts_;
  release_target();
  fail_all(EPIPE);
}

void ProducerOutbox::end(int error) {
  end_ = error;
  const bool was_within_put = has_begun();
  ++cuts_;
  fail_all(error);
  if (was_within_put) cut_short();
}

void ProducerOutbox::look_again() {
  if (!is_reachable()) return fail_all(refusal());
  if (!std::exchange(wants_look_, false)) return;
  if (!is_copying()) return on_space();
  wants_look_ = true;
}

bool ProducerOutbox::can_send() const {
  return refusal() == 0 && link_->is_free_for(*target_, *this) && !is_copying() &&
         producer_->has_space(*target_);
}

void ProducerOutbox::request_space() {
  if (!link_->is_free_for(*target_, *this)) return;  // Its holder's release comes back here.
  wants_look_ = is_copying();
  if (!wants_look_) std::ignore = producer_->request_space(*target_);
}

Status ProducerOutbox::check_free() const {
  if (!is_reachable()) return fail(Errc::connection_reset, why_refused());
  if (is_copying()) return fail(Errc::again, "the last message is still being copied");
  if (link_->is_free_for(*target_, *this)) return {};
  return fail(Errc::again, "a longer message is on its way to this consumer");
}

Status ProducerOutbox::check_allowed() const {
  if (refusal() == 0) return check_free();
  return fail(Errc::connection_reset, why_refused());
}

Status ProducerOutbox::hand_to_library(std::span<const std::byte> bytes,
                                       std::span<const std::byte> immediate) {
  under_way_.assign(bytes.begin(), bytes.end());
  const Outgoing message{.data = under_way_, .immediate = immediate};
  const auto sent = producer_->send(*target_, std::span(&message, 1));
  if (sent) return {};
  const bool is_there = link_->is_open() &&
                        std::ranges::count(link_->connection()->remote_consumers(), *target_) != 0;
  if (!is_there) return fail(Errc::connection_reset, "the consumer is gone");
  if (sent.error().code != Errc::invalid_value || bytes.empty())
    return std::unexpected(sent.error());
  return fail(Errc::too_big, "longer than the posted buffer, or than its immediate data may be");
}

Result<std::size_t> ProducerOutbox::give_by_library(std::span<const std::byte> bytes,
                                                    bool may_split, const Immediate& immediate) {
  if (!may_split || bytes.empty()) {
    if (Status sent = hand_to_library(bytes, immediate(true)); !sent)
      return std::unexpected(sent.error());
    return bytes.size();
  }
  // How long the buffer is nobody says; only that this was too long for it.
  while (true) {
    const auto part = bytes.first(std::min(bytes.size(), staged_part_));
    const Status sent = hand_to_library(part, immediate(part.size() == bytes.size()));
    if (sent) return part.size();
    if (sent.error().code != Errc::too_big || part.size() == 1)
      return std::unexpected(sent.error());
    staged_part_ = part.size() / 2;
  }
}

// Whether a message can be sent where no loan is to be had: the consumer's memory is not mapped
// here, or, at another machine, the buffer may be longer than what can be lent.
static bool can_only_be_sent(const Error& error) {
  return error.code == Errc::not_supported || error.code == Errc::no_memory;
}

Result<std::size_t> ProducerOutbox::give(std::span<const std::byte> bytes, bool may_split,
                                         const Immediate& immediate) {
  if (Status ready = check_free(); !ready) return std::unexpected(ready.error());
  if (bytes.empty()) return give_by_library(bytes, may_split, immediate);
  const auto loan = producer_->reserve(*target_);
  if (!loan) {
    const Error& error = loan.error();
    if (can_only_be_sent(error)) return give_by_library(bytes, may_split, immediate);
    if (error.code == Errc::full) return fail(Errc::again);
    if (error.code == Errc::invalid_value) return give_by_library(bytes, false, immediate);
    return std::unexpected(error);
  }
  const auto part = bytes.first(std::min(bytes.size(), loan->room.size()));
  if (part.size() < bytes.size() && !may_split) {
    std::ignore = producer_->abandon(*loan);
    return fail(Errc::too_big, "the message is longer than the posted buffer");
  }
  std::ranges::copy(part, loan->room.begin());
  const auto with = immediate(part.size() == bytes.size());
  if (Status sent = producer_->commit(*loan, part.size(), with); !sent) {
    std::ignore = producer_->abandon(*loan);
    if (sent.error().code != Errc::invalid_value) return std::unexpected(sent.error());
    return fail(Errc::invalid_value, "the consumer takes less immediate data");
  }
  return part.size();
}

Status ProducerOutbox::send_first(std::span<const std::byte> message) {
  if (Status allowed = check_allowed(); !allowed) return allowed;
  const auto sent = give(message, false, [this](bool) { return immediate_; });
  return sent ? Status() : std::unexpected(sent.error());
}

Result<std::size_t> ProducerOutbox::send_part(std::span<const std::byte> bytes, bool is_end) {
  if (Status allowed = check_allowed(); !allowed) return std::unexpected(allowed.error());
  const std::vector<std::byte> first = has_begun() ? std::vector<std::byte>() : immediate_;
  PartMark mark = PartMark::kMore;
  const auto sent = give(bytes, true, [&](bool is_all) {
    mark = is_all && is_end ? PartMark::kLast : PartMark::kMore;
    return with_part_mark(mark, first);
  });
  if (!sent) return sent;
  link_->take(*target_, *this);
  if (mark == PartMark::kLast) release_target();
  return sent;
}

Result<std::size_t> ProducerOutbox::next_room() {
  if (Status allowed = check_allowed(); !allowed) return std::unexpected(allowed.error());
  const auto loan = producer_->reserve(*target_);
  if (!loan && can_only_be_sent(loan.error())) return kMessageMax;
  if (!loan) return std::unexpected(loan.error());
  std::ignore = producer_->abandon(*loan);
  return loan->room.size();
}

Status ProducerOutbox::send_cut() {
  const auto sent = give({}, false, [](bool) { return with_part_mark(PartMark::kCutShort, {}); });
  return sent ? Status() : std::unexpected(sent.error());
}

void ProducerOutbox::cut_short() {
  ++cuts_;
  const Status sent = send_cut();
  if (!sent && sent.error().code == Errc::again) {
    wait(std::make_unique<CutShort>(*this));
  } else {
    release_target();
  }
}

void ProducerOutbox::release_target() {
  if (has_begun()) link_->release(*target_);
}

}  // namespace comch::fuse
