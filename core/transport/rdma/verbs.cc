// Verbs: see verbs.h. The words for what happens, as the log has them.
#include "transport/rdma/verbs.h"

namespace comch::transport::rdma {

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::kAddressResolved:
      return "address resolved";
    case EventKind::kRouteResolved:
      return "route resolved";
    case EventKind::kResolveFailed:
      return "not resolved";
    case EventKind::kConnectRequest:
      return "connect request";
    case EventKind::kEstablished:
      return "established";
    case EventKind::kRejected:
      return "rejected";
    case EventKind::kUnreachable:
      return "unreachable";
    case EventKind::kDisconnected:
      return "disconnected";
    case EventKind::kDeviceGone:
      return "device gone";
    case EventKind::kOther:
      break;
  }
  return "other";
}

}  // namespace comch::transport::rdma
