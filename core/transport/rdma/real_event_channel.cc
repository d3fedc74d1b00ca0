// RealEventChannel: see real_id.h. What librdmacm tells, in our words.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <utility>

#include "base/say.h"
#include "os/uninterrupted.h"
#include "transport/rdma/real_id.h"

namespace comch::transport::rdma {
namespace {

using CmEvent = std::unique_ptr<rdma_cm_event, Release<rdma_ack_cm_event>>;

EventKind kind_of(rdma_cm_event_type type) {
  switch (type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      return EventKind::kAddressResolved;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      return EventKind::kRouteResolved;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
      return EventKind::kResolveFailed;
    case RDMA_CM_EVENT_CONNECT_REQUEST:
      return EventKind::kConnectRequest;
    case RDMA_CM_EVENT_ESTABLISHED:
      return EventKind::kEstablished;
    case RDMA_CM_EVENT_REJECTED:
      return EventKind::kRejected;
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
      return EventKind::kUnreachable;
    case RDMA_CM_EVENT_DISCONNECTED:
      return EventKind::kDisconnected;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return EventKind::kDeviceGone;
    default:
      return EventKind::kOther;
  }
}

// Only these events have what the peer gave along in this part of the union.
bool carries_data(EventKind kind) {
  return kind == EventKind::kConnectRequest || kind == EventKind::kEstablished ||
         kind == EventKind::kRejected;
}

std::vector<std::byte> data_of(const rdma_conn_param& connection) {
  const auto* bytes = static_cast<const std::byte*>(connection.private_data);
  if (bytes == nullptr) return {};
  return {bytes, bytes + connection.private_data_len};
}

}  // namespace

Result<std::unique_ptr<Id>> RealEventChannel::make_id() {
  rdma_cm_id* made = nullptr;
  if (rdma_create_id(cm_->channel.get(), &made, nullptr, RDMA_PS_TCP) != 0) {
    return fail(Errc::operating_system, "librdmacm gives no id", errno);
  }
  return std::make_unique<RealId>(cm_, CmId(made));
}

Result<std::optional<Event>> RealEventChannel::next() {
  rdma_cm_event* got = nullptr;
  const int failed = os::uninterrupted([&] { return rdma_get_cm_event(cm_->channel.get(), &got); });
  if (failed == 0) {
    const CmEvent event(got);
    return translate(*event);
  }
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  return fail(Errc::operating_system, "librdmacm gives no event", errno);
}

Event RealEventChannel::translate(const rdma_cm_event& from) {
  Event event;
  event.kind = kind_of(from.event);
  event.status = std::abs(from.status);
  if (carries_data(event.kind)) event.data = data_of(from.param.conn);
  if (event.kind == EventKind::kConnectRequest) return on_request(from, std::move(event));
  auto* const id = static_cast<RealId*>(from.id->context);
  event.id = id;
  if (event.kind == EventKind::kEstablished) id->on_established();
  if (event.kind != EventKind::kAddressResolved) return event;
  if (const Status found = id->on_device(); !found) {
    say(LogLevel::kError, "rdma: {}", describe(found.error()));
    event.kind = EventKind::kResolveFailed;
    event.status = found.error().sys;
  }
  return event;
}

Event RealEventChannel::on_request(const rdma_cm_event& from, Event event) {
  event.id = static_cast<RealId*>(from.listen_id->context);
  auto incoming = std::make_unique<RealId>(cm_, CmId(from.id));
  if (const Status found = incoming->on_device(); !found) {
    say(LogLevel::kError, "rdma: a client cannot be let in: {}", describe(found.error()));
    // It would find out by its own timer otherwise.
    [[maybe_unused]] const Status rejected = incoming->reject({});
    event.kind = EventKind::kOther;
    return event;
  }
  event.incoming = std::move(incoming);
  return event;
}

}  // namespace comch::transport::rdma
