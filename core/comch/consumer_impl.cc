// ConsumerImpl: see consumer_impl.h.
#include "comch/consumer_impl.h"

#include <utility>

namespace comch {

using transport::shm::Arrival;
using transport::shm::Descriptors;
using transport::shm::PlainArrival;

// --- Life --------------------------------------------------------------------------------

Result<ConsumerImpl::Port::Setup> ConsumerImpl::choose_way() {
  Port::Setup setup{.depth = tasks(), .immediate_max = immediate_size(), .memory = map_.bytes()};
  setup.descriptors = descriptors_kept_ ? Descriptors::kKept : Descriptors::kClosed;
  if (wanted_way_ == DataWay::kView) setup.memory = {};
  const bool may_map = map_.memfd() != nullptr;
  if (wanted_way_ == DataWay::kMapped && !may_map) {
    return fail(Errc::not_supported, "the memory map is not in a sealed memfd; allocate() it");
  }
  way_ = wanted_way_;
  if (way_ == DataWay::kAuto) way_ = may_map ? DataWay::kMapped : DataWay::kStaged;
  setup.way = static_cast<wire::Way>(way_);
  if (way_ == DataWay::kMapped) {
    setup.memfd = map_.memfd();
    setup.memfd_offset = map_.memfd_offset();
  }
  return setup;
}

Result<bool> ConsumerImpl::on_start() {
  if (Status s = take_tasks(&ReceiveTaskImpl::consumer, this); !s)
    return std::unexpected(s.error());
  const Result<Port::Setup> setup = choose_way();
  if (!setup) return std::unexpected(setup.error());
  const Result<bool> opened = open(*setup);
  if (opened && way_ == DataWay::kView) use_views();
  return opened;
}

void ConsumerImpl::on_stop(bool deliver) {
  PortConsumer::on_stop(deliver);
  if (in_views()) port_->catch_up();  // What has arrived is still to be looked at.
}

bool ConsumerImpl::drained() const { return PortConsumer::drained() && !has_views(); }

// --- Receiving ---------------------------------------------------------------------------

struct ConsumerImpl::ToTask {
  static constexpr bool kCallsNobody = false;
  ConsumerImpl& consumer;

  // Of a row, which is counted as a whole.
  void put(std::size_t /*n*/, const PlainArrival& arrival) const {
    ReceiveTaskImpl& task = consumer.fill_task(arrival);
    task.brought = ReceiveTaskImpl::Brought::kData;
    consumer.received_(task);
  }
  void count_row(std::size_t messages, std::uint64_t bytes) const {
    consumer.count(transport::Passage::kInline, bytes, messages);
  }
  void operator()(std::size_t n, const PlainArrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    put(n, arrival);
  }
  void operator()(std::size_t /*n*/, const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length + arrival.handed.size());
    ReceiveTaskImpl& task = consumer.fill_task(arrival);
    task.bring(arrival.immediate, {arrival.handed, task.producer, arrival.handle});
    consumer.received_(task);
  }
};

template <class Record, class ToldOfIt>
struct ConsumerImpl::ToMemory {
  static constexpr bool kCallsNobody = true;
  ConsumerImpl& consumer;
  Record* out;
  [[no_unique_address]] ToldOfIt told;  // One that is in the way costs arrays registers.

  // Of a row, which is counted as a whole.
  void put(std::size_t n, const PlainArrival& arrival) const {
    consumer.fill(out[n], arrival, told);
  }
  void expect(std::size_t n, const PlainArrival& arrival) const {
    consumer.begin_filling(out[n], arrival, told);
  }
  void put_expected(std::size_t n, std::uint64_t length) const {
    consumer.count(transport::Passage::kInline, length);
    consumer.end_filling(out[n], length);
  }
  void count_row(std::size_t messages, std::uint64_t bytes) const {
    consumer.count(transport::Passage::kInline, bytes, messages);
  }
  void operator()(std::size_t n, const PlainArrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    put(n, arrival);
  }
  void operator()(std::size_t n, const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length + arrival.handed.size());
    add_more(consumer.fill(out[n], arrival, told), arrival);
  }

 private:
  static void add_more(Received& received, const Arrival& arrival) {
    received.immediate = arrival.immediate;
    received.handed_over = {arrival.handed, received.producer, arrival.handle};
  }
  static void add_more(Incoming& record, const Arrival& arrival) {
    record.immediate_data = arrival.immediate.data();
    record.immediate_size = static_cast<std::uint32_t>(arrival.immediate.size());
    if (arrival.handed.empty()) return;
    record.flags |= Incoming::kHandedOver;
    record.bytes = arrival.handed.data();
    record.size = arrival.handed.size();
    record.res = static_cast<std::int64_t>(record.size);
    record.handle = arrival.handle;
  }
};

bool ConsumerImpl::poll() { return poll_tasks(ToTask{*this}) || found_nothing(); }

bool ConsumerImpl::found_nothing() {
  if (in_tasks() && port_) notes.sign = port_->sign();
  return false;
}

std::size_t ConsumerImpl::poll(std::span<Received> out) {
  return poll_array(out.size(), ToMemory<Received, Untold>{*this, out.data(), {}});
}

std::size_t ConsumerImpl::poll(std::span<Incoming> out, std::uint64_t user_data,
                               std::uint32_t flags) {
  return poll_array(out.size(), ToMemory<Incoming, Told>{*this, out.data(), {user_data, flags}});
}

Status ConsumerImpl::give_back(const HandedOver& message) {
  const auto producer = static_cast<std::uint32_t>(message.producer);
  if (!port_ || !message || !port_->give_back(producer, message.handle, message.bytes.data())) {
    return fail(Errc::invalid_value, "the message is not held, or its producer is gone");
  }
  return {};
}

Result<Held> ConsumerImpl::hold(const HandedOver& message) const {
  auto memory = port_ && message ? port_->hold(message.bytes) : nullptr;
  if (!memory) return fail(Errc::invalid_value, "nothing of this run was handed over there");
  const int descriptor = memory->file.get();
  const std::uint64_t offset = memory->file_offset(message.bytes.data());
  return Held{.memory = std::move(memory), .descriptor = descriptor, .offset = offset};
}

}  // namespace comch
