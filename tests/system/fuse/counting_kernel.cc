// A kernel for the tests that is sent nothing: at the start it sends "1" to "100", one for each
// receive that is posted, and so is called again and again.
#include <comch/msgq_kernel.h>

#include <string>

int comch_kernel(const struct comch_kernel_call* call) {
  constexpr int kLast = 100;
  auto*& sent = *reinterpret_cast<int**>(call->state);
  if (call->event == COMCH_KERNEL_STOP) delete sent;
  if (call->event != COMCH_KERNEL_START) return 0;
  if (sent == nullptr) sent = new int(0);
  for (; *sent < kLast; ++*sent) {
    const std::string text = std::to_string(*sent + 1);
    const int answer = call->send(call, 0, text.data(), text.size());
    if (answer != 0) return answer;
  }
  return 0;
}
