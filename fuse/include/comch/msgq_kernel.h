// Kernel: what a shared object has to offer to be run on the emulated accelerator of the file
// tree. The object is plain C (or anything that can pass for it) and needs no library of ours:
//
//   int comch_kernel(const struct comch_kernel_call* call) {
//     if (call->event != COMCH_KERNEL_MESSAGE) return 0;
//     return call->send(call, 0, call->data, call->size);            // echo
//   }
//
//   cc -shared -fPIC -o /usr/local/lib/echo.so echo.c
//   echo /usr/local/lib/echo.so > /comch/msgq/q/kernel               # root only
//
// The function is called for one event after the other: once for the start, then for each
// message, and once for the end. It answers
//
//   0            the event is dealt with, the message used up
//   EAGAIN       not yet: the call is made again, with the same message, as soon as there may
//                be room; send() answers EAGAIN, too, so that its answer can be passed on
//   any other    the kernel has failed: its MsgQ stops, and says so. An errno is a good choice.
//
// Threads: calls of one MsgQ are made one after the other, on a thread of its own; those of two
// MsgQs that run the same object are not.
// Lifetime: of what `call` points to: this call.
#pragma once

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): this is C, too.
#include <stdint.h>  // NOLINT(modernize-deprecated-headers)

#ifdef __cplusplus
extern "C" {
#endif

#define COMCH_KERNEL_ABI 1U           // What this header describes.
#define COMCH_KERNEL_MESSAGE_MAX 32U  // Bytes.

#define COMCH_KERNEL_START 1U    // May send, as at any other event but the end.
#define COMCH_KERNEL_MESSAGE 2U  // `data`, `size` and `producer` say which.
#define COMCH_KERNEL_STOP 3U     // The last call: free what `state` has. The answer means nothing.

struct comch_kernel_call {
  uint32_t abi;  // COMCH_KERNEL_ABI of the caller; a greater one has more behind `host`.
  uint32_t event;

  const void* data;
  size_t size;
  uint32_t producer;  // Which of the CPU's producers sent it.

  // The kernel's own, kept between calls; null at the start.
  void** state;

  // Sends to the CPU's consumer of that id; 0: to the first of them that has room, in the order
  // they were started. 0, or EAGAIN: there is no room, or for 0 no consumer. EMSGSIZE: above
  // COMCH_KERNEL_MESSAGE_MAX. ENXIO: no such consumer. EOPNOTSUPP: the MsgQ has no direction to
  // the CPU. ESHUTDOWN: in the last call.
  int (*send)(const struct comch_kernel_call* call, uint32_t consumer, const void* data,
              size_t size);
  // The id of the CPU's nth consumer, from 0, in the order they were started; 0: not so many.
  uint32_t (*consumer)(const struct comch_kernel_call* call, uint32_t n);
  // Not 0: the MsgQ is to stop; a call that goes on for long is to return.
  int (*stopping)(const struct comch_kernel_call* call);

  void* host;  // The caller's.
};

// What the object has to define.
typedef int comch_kernel_function(
    const struct comch_kernel_call* call);  // NOLINT(modernize-use-using)
comch_kernel_function comch_kernel;

#ifdef __cplusplus
}
#endif
