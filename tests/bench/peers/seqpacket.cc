// seqpacket: a unix socket pair whose ends are asked without sleeping.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/pause.h"
#include "bench/peers/descriptor_pair.h"
#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"

namespace comch::bench {
namespace {

std::array<int, 2> sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return ends;
}

int send_buffer_of(int socket) {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  ::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, &length);
  return bytes;
}

// A message is sent whole, or not at all: the buffer must take it, and a second one beside it.
void make_room(int socket, std::size_t bytes) {
  const int wanted = static_cast<int>(2 * bytes);  // The kernel doubles it once more.
  if (send_buffer_of(socket) >= 2 * wanted) return;
  if (::setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) == 0) return;
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
  if (send_buffer_of(socket) < wanted) throw Unavailable("so large a send buffer takes root");
}

class SeqpacketLane {
 public:
  explicit SeqpacketLane(const Workload& workload) : sockets_(sockets()), bytes_(workload.bytes) {
    make_room(sockets_[0], bytes_);
  }

  class Sender {
   public:
    explicit Sender(const SeqpacketLane& lane) : socket_(lane.sockets_[0]), message_(lane.bytes_) {}

    void send() {
      while (::send(socket_, message_.data(), message_.size(), MSG_NOSIGNAL) < 0) {
        if (errno != EAGAIN) throw std::system_error(errno, std::generic_category(), "send");
        pause();
      }
    }
    void send_last() {
      end_with(message_);
      send();
    }

   private:
    const int socket_;
    std::vector<std::byte> message_;
  };

  class Receiver {
   public:
    explicit Receiver(const SeqpacketLane& lane)
        : socket_(lane.sockets_[1]), message_(lane.bytes_) {}

    bool receive() {
      while (::recv(socket_, message_.data(), message_.size(), 0) < 0) {
        if (errno != EAGAIN) throw std::system_error(errno, std::generic_category(), "recv");
        pause();
      }
      return !is_last(message_);
    }

   private:
    const int socket_;
    std::vector<std::byte> message_;
  };

 private:
  const DescriptorPair sockets_;
  const std::size_t bytes_;
};

}  // namespace

Subject seqpacket(const std::vector<Workload>& workloads) {
  return lane_subject<SeqpacketLane>("seqpacket", workloads);
}

}  // namespace comch::bench
