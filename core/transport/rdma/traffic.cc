// Traffic: see traffic.h. The words for how a work request ends, as the log has them.
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

std::string_view name(CompletionStatus status) {
  switch (status) {
    case CompletionStatus::kSuccess:
      return "success";
    case CompletionStatus::kFlushed:
      return "flushed";
    case CompletionStatus::kRetryExceeded:
      return "the peer's device does not answer";
    case CompletionStatus::kReceiverNotReady:
      return "the peer has no receive posted";
    case CompletionStatus::kRemoteAccess:
      return "the peer's memory is not to be written so";
    case CompletionStatus::kRemoteInvalid:
      return "the peer's device could not do it";
    case CompletionStatus::kLocalProtection:
      return "memory of ours is not registered so";
    case CompletionStatus::kLocalLength:
      return "more came than there is room for";
    case CompletionStatus::kOther:
      break;
  }
  return "the device failed";
}

}  // namespace comch::transport::rdma
