/* example: what every program here begins with: its log, its options, its device, and how it
 * waits.
 *
 *   struct example_config config = EXAMPLE_HOST("Message from the client");
 *   TRY(example_options(argc, argv, &config));
 *   TRY(example_open_device(config.pci_addr, &dev));
 *
 * Options: -p, --pci-addr   address of the device
 *          -r, --rep-pci    address of the representor; of programs on the DPU's side
 *          -t, --text       what to say
 *          -e, --epoll      sleep until something happens, where otherwise it is asked for
 *          -h, -v, -l       as every program has them (doca_argp.h)
 *
 * Threads: one. Lifetime: what is opened is the caller's. */
#ifndef EXAMPLE_H_
#define EXAMPLE_H_

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <stdbool.h>

#define EXAMPLE_TEXT_SIZE 4080 /* Of a control message, unless both sides agree on more. */

struct example_config {
  const char *rep_pci_addr; /* NULL: the program has no such option. */
  const char *pci_addr;
  const char *text;
  bool epoll;
};

/* The devices that are there when nobody describes others. */
#define EXAMPLE_DPU(what) \
  {.rep_pci_addr = "0000:b1:00.0", .pci_addr = "0000:03:00.0", .text = (what)}
#define EXAMPLE_HOST(what) {.rep_pci_addr = NULL, .pci_addr = "0000:b1:00.0", .text = (what)}

/* Returns what `call` answers, and says so, unless it is success. Needs DOCA_LOG_REGISTER. */
#define TRY(call)                                                 \
  do {                                                            \
    const doca_error_t tried_ = (call);                           \
    if (tried_ != DOCA_SUCCESS) {                                 \
      DOCA_LOG_ERR("%s: %s", #call, doca_error_get_name(tried_)); \
      return tried_;                                              \
    }                                                             \
  } while (0)

/* Sets the log up and reads the options. INVALID_VALUE: they are wrong; that was said. */
doca_error_t example_options(int argc, char **argv, struct example_config *config);
/* After the last use of the texts in the configuration. */
void example_end(void);

/* NOT_FOUND: there is no such device, or representor. */
doca_error_t example_open_device(const char *pci_addr, struct doca_dev **dev);
doca_error_t example_open_representor(struct doca_dev *dev, const char *pci_addr,
                                      struct doca_dev_rep **rep);

/* How a program runs its progress engine. */
struct example_loop {
  struct doca_pe *pe;
  int epoll_fd; /* -1: it polls. */
  doca_notification_handle_t handle;
};

doca_error_t example_loop_create(bool epoll, struct example_loop *loop);
void example_loop_destroy(struct example_loop *loop);
/* Runs the engine once; with nothing to do, waits for something (or, polling, ten us). */
void example_loop_run(struct example_loop *loop);

/* A moment between two questions, for what nothing announces. */
void example_pause(void);

#endif
