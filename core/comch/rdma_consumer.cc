// RdmaConsumerImpl: see rdma_consumer.h.
#include "comch/rdma_consumer.h"

#include <utility>

namespace comch {

using transport::rdma::Arrival;

// --- Life --------------------------------------------------------------------------------

Status RdmaConsumerImpl::check_configuration() {
  if (Status s = PortConsumer::check_configuration(); !s) return s;
  if (wanted_way_ != DataWay::kAuto && wanted_way_ != DataWay::kMapped) {
    return fail(Errc::not_supported, "another machine writes straight into the buffers");
  }
  return {};
}

Result<bool> RdmaConsumerImpl::on_start() {
  if (Status s = take_tasks(&ReceiveTaskImpl::rdma, this); !s) return std::unexpected(s.error());
  return open({.depth = tasks(), .immediate_max = immediate_size(), .map = &map_.life()});
}

// --- Receiving ---------------------------------------------------------------------------

struct RdmaConsumerImpl::ToTask {
  RdmaConsumerImpl& consumer;

  void operator()(std::size_t /*n*/, const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    ReceiveTaskImpl& task = consumer.fill_task(arrival);
    task.bring(arrival.immediate, {});
    consumer.received_(task);
  }
};

struct RdmaConsumerImpl::ToArray {
  RdmaConsumerImpl& consumer;
  Received* out;

  void operator()(std::size_t n, const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    Received& received = consumer.fill(out[n], arrival, Untold());
    received.immediate = arrival.immediate;
  }
};

struct RdmaConsumerImpl::ToRecords {
  RdmaConsumerImpl& consumer;
  Incoming* out;
  Told told;

  void operator()(std::size_t n, const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    Incoming& record = consumer.fill(out[n], arrival, told);
    record.immediate_data = arrival.immediate.data();
    record.immediate_size = static_cast<std::uint32_t>(arrival.immediate.size());
  }
};

bool RdmaConsumerImpl::poll() { return poll_tasks(ToTask{*this}); }

std::size_t RdmaConsumerImpl::poll(std::span<Received> out) {
  return poll_array(out.size(), ToArray{*this, out.data()});
}

std::size_t RdmaConsumerImpl::poll(std::span<Incoming> out, std::uint64_t user_data,
                                   std::uint32_t flags) {
  return poll_array(out.size(), ToRecords{*this, out.data(), {user_data, flags}});
}

Status RdmaConsumerImpl::give_back(const HandedOver&) {
  return fail(Errc::invalid_value, "nothing is handed over between machines");
}

}  // namespace comch
