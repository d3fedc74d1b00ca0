// zeromq: a pair of PAIR sockets over ipc://, whose ends are asked without sleeping. Its own
// threads run where there is room.
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"

namespace comch::bench {
namespace {

// Ends the context's threads once its sockets are closed and what they sent is delivered.
using Context = std::unique_ptr<void, decltype([](void* context) { zmq_ctx_term(context); })>;
using Socket = std::unique_ptr<void, decltype([](void* socket) { zmq_close(socket); })>;

int need_zmq(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + ": " + zmq_strerror(zmq_errno()));
  return result;
}

// An abstract name, so that no file is left.
std::string fresh_endpoint() {
  static int made = 0;
  return "ipc://@comch-bench-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
}

class ZeromqLane {
  class End {
   public:
    explicit End(std::size_t bytes)
        : context_(zmq_ctx_new()), socket_(zmq_socket(context_.get(), ZMQ_PAIR)) {
      // Messages queued on each side: the usual thousand, and of large ones a few.
      const int queued = bytes < 64 * kKib ? 1000 : 8;
      for (const int option : {ZMQ_SNDHWM, ZMQ_RCVHWM}) {
        need_zmq(zmq_setsockopt(socket_.get(), option, &queued, sizeof queued), "zmq_setsockopt");
      }
    }
    void* get() const { return socket_.get(); }

   private:
    Context context_;
    Socket socket_;
  };

 public:
  explicit ZeromqLane(const Workload& workload)
      : endpoint_(fresh_endpoint()), bytes_(workload.bytes) {}

  class Sender {
   public:
    explicit Sender(const ZeromqLane& lane) : socket_(lane.bytes_), message_(lane.bytes_) {
      // One that comes too early tries again only after a tenth of a second.
      if (!lane.bound_.wait()) throw std::runtime_error("the receiver does not come");
      need_zmq(zmq_connect(socket_.get(), lane.endpoint_.c_str()), "zmq_connect");
    }

    void send() {
      while (zmq_send(socket_.get(), message_.data(), message_.size(), ZMQ_DONTWAIT) < 0) {
        if (zmq_errno() != EAGAIN) need_zmq(-1, "zmq_send");
      }
    }
    void send_last() {
      end_with(message_);
      send();
    }

   private:
    End socket_;
    std::vector<std::byte> message_;
  };

  class Receiver {
   public:
    explicit Receiver(const ZeromqLane& lane) : socket_(lane.bytes_) {
      need_zmq(zmq_bind(socket_.get(), lane.endpoint_.c_str()), "zmq_bind");
      need_zmq(zmq_msg_init(&message_), "zmq_msg_init");
      lane.bound_.open();
    }
    ~Receiver() { zmq_msg_close(&message_); }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      while (zmq_msg_recv(&message_, socket_.get(), ZMQ_DONTWAIT) < 0) {
        if (zmq_errno() != EAGAIN) need_zmq(-1, "zmq_msg_recv");
      }
      return !is_last(
          {static_cast<const std::byte*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)});
    }

   private:
    End socket_;
    zmq_msg_t message_{};
  };

 private:
  const std::string endpoint_;
  const std::size_t bytes_;
  const Gate bound_;
};

}  // namespace

Subject zeromq(const std::vector<Workload>& workloads) {
  return lane_subject<ZeromqLane>("zeromq", workloads);
}

}  // namespace comch::bench
