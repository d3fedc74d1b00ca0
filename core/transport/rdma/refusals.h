// Refusals that have nothing to do with who the server is: of a Call, by the listener, and of what
// is said after it, by a caller. Each is worded once, for both ends log the words.
//
// Threads: values.
#pragma once

#include "transport/transport.h"

namespace comch::transport::rdma {

inline Refusal other_version() {
  return {Errc::unsupported_version, "this server speaks version 1 of the protocol only"};
}

inline Refusal other_name() { return {Errc::not_found, "a server of another name has this port"}; }

inline Refusal other_key() {
  return {Errc::authentication, "the client's key is not the server's"};
}

inline Refusal no_call() { return {Errc::connection_aborted, "what was said is not a Call"}; }

inline Refusal no_greeting() {
  return {Errc::connection_aborted, "what was said is not what the handshake has next"};
}

}  // namespace comch::transport::rdma
