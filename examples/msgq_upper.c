// msgq_upper: a kernel for the accelerator of the file tree, as a shared object: it sends each
// message back in capital letters, behind the number of messages there have been.
//
//   cc -shared -fPIC -o upper.so msgq_upper.c $(pkg-config --cflags comch)
//   mkdir /comch/msgq/q && echo $PWD/upper.so > /comch/msgq/q/kernel
#include <comch/msgq_kernel.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

struct counter {
  unsigned messages;
};

// Writes `number` in decimal digits, and answers how many those are.
static size_t write_number(char* to, unsigned number) {
  size_t digits = 1;
  for (unsigned rest = number / 10; rest > 0; rest /= 10) ++digits;
  for (size_t n = digits; n > 0; --n, number /= 10) to[n - 1] = (char)('0' + number % 10);
  return digits;
}

static int answer(const struct comch_kernel_call* call, struct counter* counter) {
  char text[COMCH_KERNEL_MESSAGE_MAX];
  const unsigned char* letters = call->data;
  size_t used = write_number(text, counter->messages + 1);
  text[used++] = ' ';
  for (size_t n = 0; n < call->size && used < sizeof text; ++n) {
    text[used++] = (char)toupper(letters[n]);
  }
  const int sent = call->send(call, 0, text, used);
  if (sent == 0) ++counter->messages;  // EAGAIN: we shall be given the message again.
  return sent;
}

int comch_kernel(const struct comch_kernel_call* call) {
  switch (call->event) {
    case COMCH_KERNEL_START:
      *call->state = calloc(1, sizeof(struct counter));
      return *call->state == NULL ? ENOMEM : 0;
    case COMCH_KERNEL_MESSAGE:
      return answer(call, *call->state);
    default:
      free(*call->state);
      return 0;
  }
}
