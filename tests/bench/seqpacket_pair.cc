// SEQPACKET pair: send and recv, blocking or not.
#include "bench/seqpacket_pair.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/pause.h"
#include "bench/bare_slot.h"
#include "bench/processes.h"

namespace comch::bench {
namespace {

class SocketPair {
 public:
  SocketPair() {
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_.data()) != 0) {
      throw std::system_error(errno, std::generic_category(), "socketpair");
    }
  }
  ~SocketPair() {
    for (const int end : ends_) ::close(end);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  int end(std::size_t which) const { return ends_[which]; }

 private:
  std::array<int, 2> ends_{};
};

void put(int socket, const Message& message) {
  if (::send(socket, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
    throw std::system_error(errno, std::generic_category(), "send");
  }
}

void await(int socket, Message& message, int flags) {
  while (::recv(socket, message.data(), message.size(), flags) < 0) {
    if (errno != EAGAIN) throw std::system_error(errno, std::generic_category(), "recv");
    pause();
  }
}

// `measure` times the operation it is given.
template <class Measure>
double round_trip_ns(const Pair& pair, int flags, const Measure& measure) {
  const SocketPair sockets;
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        for (Message message{}; message[0] != kLast;) {
          await(sockets.end(1), message, flags);
          put(sockets.end(1), message);
        }
      },
      [&] {
        Message message{};
        const auto round_trip = [&] {
          put(sockets.end(0), message);
          await(sockets.end(0), message, flags);
        };
        const double ns = measure(round_trip);
        message[0] = kLast;
        round_trip();
        return ns;
      });
}

}  // namespace

double seqpacket_busy_ns(const Pair& pair, Duration duration) {
  return round_trip_ns(pair, MSG_DONTWAIT,
                       [=](const auto& round_trip) { return median_ns(duration, round_trip); });
}

double seqpacket_sleeping_ns(const Pair& pair, Duration duration) {
  return round_trip_ns(pair, 0,
                       [=](const auto& round_trip) { return median_ns(duration, round_trip, 1); });
}

double seqpacket_wake_ns(const Pair& pair, Duration idle, Duration duration) {
  return round_trip_ns(
      pair, 0, [=](const auto& round_trip) { return median_ns_after(idle, duration, round_trip); });
}

}  // namespace comch::bench
