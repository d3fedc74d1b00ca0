// ucx_am: active messages: the sender keeps a window of them under way, the receiver's handler
// reads each where UCX has it, or has a long one delivered into a buffer.
#include <utility>
#include <vector>

#include "bench/limits/buffers.h"
#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"
#include "bench/peers/ucx_worker.h"

namespace comch::bench {
namespace {

constexpr unsigned kMessageId = 1;

class UcxAmLane {
 public:
  explicit UcxAmLane(const Workload& workload)
      : bytes_(workload.bytes), window_(bytes_ < 64 * kKib ? 32 : 4) {}

  class Sender {
   public:
    explicit Sender(const UcxAmLane& lane)
        : worker_(UCP_FEATURE_AM), message_(lane.bytes_), under_way_(lane.window_) {
      lane.meeting_.greet(kSender, worker_.greeting());
      worker_.connect(lane.meeting_.other(kSender));
    }

    void send() {
      void*& request = under_way_[number_++ % under_way_.size()];
      worker_.await(std::exchange(request, nullptr));
      const ucp_request_param_t param{};
      request = ucp_am_send_nbx(worker_.endpoint(), kMessageId, nullptr, 0, message_.data(),
                                message_.size(), &param);
    }
    void send_last() {
      finish();
      end_with(message_);
      send();
      finish();
    }

   private:
    void finish() {
      for (void*& request : under_way_) worker_.await(std::exchange(request, nullptr));
      worker_.flush();
    }

    UcxWorker worker_;
    std::vector<std::byte> message_;
    std::vector<void*> under_way_;  // Requests; null where one is complete.
    std::size_t number_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const UcxAmLane& lane)
        : worker_(UCP_FEATURE_AM), buffers_(lane.window_, lane.bytes_) {
      for (std::size_t i = 0; i < lane.window_; ++i) deliveries_.push_back({this, buffers_[i]});
      handle_messages();
      lane.meeting_.greet(kReceiver, worker_.greeting());
      worker_.connect(lane.meeting_.other(kReceiver));
    }

    bool receive() {
      while (arrived_ == taken_) worker_.progress();
      return ++taken_ != last_;
    }

   private:
    // A long message on its way into a buffer. The sender's window is as wide as there are
    // buffers, so one of them is free when a message is announced.
    struct Delivery {
      Receiver* to;
      std::span<std::byte> buffer;
    };

    void handle_messages() {
      ucp_am_handler_param_t param{};
      param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
      param.id = kMessageId;
      param.cb = on_message;
      param.arg = this;
      need_ucx(ucp_worker_set_am_recv_handler(worker_.worker(), &param), "a handler");
    }

    static ucs_status_t on_message(void* self, const void* /*header*/, std::size_t /*size*/,
                                   void* data, std::size_t bytes,
                                   const ucp_am_recv_param_t* param) {
      auto& receiver = *static_cast<Receiver*>(self);
      if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
        receiver.deliver(data);
        return UCS_INPROGRESS;
      }
      receiver.take({static_cast<const std::byte*>(data), bytes});
      return UCS_OK;
    }

    void deliver(void* descriptor) {
      Delivery& delivery = deliveries_[announced_++ % deliveries_.size()];
      ucp_request_param_t param{};
      param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
      param.cb.recv_am = on_delivered;
      param.user_data = &delivery;
      void* const request = ucp_am_recv_data_nbx(
          worker_.worker(), descriptor, delivery.buffer.data(), delivery.buffer.size(), &param);
      if (UCS_PTR_IS_ERR(request)) need_ucx(UCS_PTR_STATUS(request), "a delivery");
      if (request == nullptr) take(delivery.buffer);
    }

    static void on_delivered(void* request, ucs_status_t status, std::size_t /*bytes*/,
                             void* user_data) {
      const auto& delivery = *static_cast<Delivery*>(user_data);
      ucp_request_free(request);
      need_ucx(status, "a delivery");
      delivery.to->take(delivery.buffer);
    }

    void take(std::span<const std::byte> message) {
      ++arrived_;
      if (is_last(message)) last_ = arrived_;
    }

    UcxWorker worker_;
    const Buffers buffers_;
    std::vector<Delivery> deliveries_;
    std::size_t announced_ = 0;
    std::uint64_t arrived_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t last_ = 0;  // The number of the last message, once it is here.
  };

 private:
  const std::size_t bytes_;
  const std::size_t window_;
  const UcxMeeting meeting_;
};

}  // namespace

Subject ucx_am(const std::vector<Workload>& workloads) {
  return lane_subject<UcxAmLane>("ucx_am", workloads);
}

}  // namespace comch::bench
