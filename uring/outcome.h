// Outcome: an Error as the result of an operation.
//
// Threads: any. Lifetime: values. Errors: none.
#pragma once

#include <cerrno>
#include <cstdint>

#include "comch/consumer.h"
#include "comch/context.h"
#include "comch/result.h"

namespace comch::uring {

inline std::int64_t outcome_of(const Error& error) { return -to_errno(error); }

// Why a context took no more: the loss that ended it, or that it was stopped.
template <class Context>
std::int64_t ending_of(const Context& context) {
  const Error& error = context.failure().error;
  return error.code == Errc::connection_reset ? -ECONNRESET : -ESHUTDOWN;
}

// Why a consumer posts nothing: that it ends, or what it says.
template <class Consumer>
std::int64_t refusal_of(const Consumer& consumer, const Error& error) {
  const bool ends = consumer.state() == ContextState::kStopping;
  return ends ? ending_of(consumer) : outcome_of(error);
}

// Why a producer does not send.
template <class Producer>
std::int64_t refusal_of(const Producer& producer, ConsumerId consumer, const Error& error) {
  const bool ended = error.code == Errc::shutdown || error.code == Errc::bad_state;
  const bool lost = ended && producer.failure().error.code == Errc::connection_reset;
  // Of a message that does not fit, or of a consumer that is gone.
  const bool gone = error.code == Errc::invalid_value && !producer.reaches(consumer);
  return lost || gone ? -ECONNRESET : outcome_of(error);
}

}  // namespace comch::uring
