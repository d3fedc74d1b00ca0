// A kernel for the tests: it sends back what it is sent, but for a few messages that tell it to
// do something else.
//
//   "fail"        answers EIO
//   "wait"        does not return until the MsgQ is to stop
//   "hold PID"    does not return, whatever happens, while that process is there
//   "to N TEXT"   sends TEXT to consumer N; if that fails, the errno to any
#include <comch/msgq_kernel.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace {

constexpr unsigned kLook_us = 1000;

int send(const comch_kernel_call* call, std::uint32_t to, const std::string& text) {
  return call->send(call, to, text.data(), text.size());
}

int send_to(const comch_kernel_call* call, const std::string& order) {
  std::size_t digits = 0;
  const auto to = static_cast<std::uint32_t>(std::stoul(order, &digits));
  const int answer = send(call, to, order.substr(digits + 1));
  if (answer == 0 || answer == EAGAIN) return answer;
  return send(call, 0, strerrorname_np(answer));
}

int obey(const comch_kernel_call* call) {
  const std::string text(static_cast<const char*>(call->data), call->size);
  if (text == "fail") return EIO;
  if (text == "wait") {
    while (call->stopping(call) == 0) usleep(kLook_us);
    return 0;
  }
  if (text.starts_with("hold ")) {
    while (kill(std::stoi(text.substr(5)), 0) == 0) usleep(kLook_us);
    return 0;
  }
  return text.starts_with("to ") ? send_to(call, text.substr(3)) : send(call, 0, text);
}

}  // namespace

int comch_kernel(const struct comch_kernel_call* call) {
  return call->event == COMCH_KERNEL_MESSAGE ? obey(call) : 0;
}
