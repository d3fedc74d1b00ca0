/* example: see example.h. */

#include "example.h"

#include <doca_argp.h>
#include <doca_log.h>
#include <string.h>
#include <sys/epoll.h>
#include <threads.h>
#include <unistd.h>

DOCA_LOG_REGISTER(EXAMPLE);

/* --- Options ----------------------------------------------------------------------------- */

static doca_error_t set_pci_addr(void *value, void *config) {
  ((struct example_config *)config)->pci_addr = value;
  return DOCA_SUCCESS;
}

static doca_error_t set_rep_pci_addr(void *value, void *config) {
  ((struct example_config *)config)->rep_pci_addr = value;
  return DOCA_SUCCESS;
}

static doca_error_t set_text(void *value, void *config) {
  if (strlen(value) == 0 || strlen(value) > EXAMPLE_TEXT_SIZE) {
    DOCA_LOG_ERR("The text has 1 to %d bytes", EXAMPLE_TEXT_SIZE);
    return DOCA_ERROR_INVALID_VALUE;
  }
  ((struct example_config *)config)->text = value;
  return DOCA_SUCCESS;
}

static doca_error_t set_epoll(void *value, void *config) {
  ((struct example_config *)config)->epoll = *(bool *)value;
  return DOCA_SUCCESS;
}

static doca_error_t add_option(const char *short_name, const char *long_name, const char *arguments,
                               const char *description, enum doca_argp_type type,
                               doca_argp_param_cb_t callback) {
  struct doca_argp_param *param = NULL;
  TRY(doca_argp_param_create(&param));
  doca_argp_param_set_short_name(param, short_name);
  doca_argp_param_set_long_name(param, long_name);
  if (arguments != NULL) doca_argp_param_set_arguments(param, arguments);
  doca_argp_param_set_description(param, description);
  doca_argp_param_set_type(param, type);
  doca_argp_param_set_callback(param, callback);
  TRY(doca_argp_register_param(param));
  return DOCA_SUCCESS;
}

doca_error_t example_options(int argc, char **argv, struct example_config *config) {
  struct doca_log_backend *sdk_log = NULL;
  TRY(doca_log_backend_create_standard());
  TRY(doca_log_backend_create_with_file_sdk(stderr, &sdk_log));
  TRY(doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING));

  TRY(doca_argp_init(NULL, config));
  TRY(add_option("p", "pci-addr", "<PCI>", "Address of the device", DOCA_ARGP_TYPE_STRING,
                 set_pci_addr));
  if (config->rep_pci_addr != NULL) {
    TRY(add_option("r", "rep-pci", "<PCI>", "Address of the representor", DOCA_ARGP_TYPE_STRING,
                   set_rep_pci_addr));
  }
  TRY(add_option("t", "text", "<text>", "What to say", DOCA_ARGP_TYPE_STRING, set_text));
  TRY(add_option("e", "epoll", NULL, "Sleep until something happens", DOCA_ARGP_TYPE_BOOLEAN,
                 set_epoll));
  return doca_argp_start(argc, argv);
}

void example_end(void) { doca_argp_destroy(); }

/* --- Devices ----------------------------------------------------------------------------- */

doca_error_t example_open_device(const char *pci_addr, struct doca_dev **dev) {
  struct doca_devinfo **list = NULL;
  uint32_t count = 0;
  TRY(doca_devinfo_create_list(&list, &count));
  doca_error_t result = DOCA_ERROR_NOT_FOUND;
  for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; ++i) {
    uint8_t equal = 0;
    doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal);
    if (equal) result = doca_dev_open(list[i], dev);
  }
  doca_devinfo_destroy_list(list);
  if (result != DOCA_SUCCESS) DOCA_LOG_ERR("There is no device %s", pci_addr);
  return result;
}

doca_error_t example_open_representor(struct doca_dev *dev, const char *pci_addr,
                                      struct doca_dev_rep **rep) {
  struct doca_devinfo_rep **list = NULL;
  uint32_t count = 0;
  TRY(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
  doca_error_t result = DOCA_ERROR_NOT_FOUND;
  for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; ++i) {
    uint8_t equal = 0;
    doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal);
    if (equal) result = doca_dev_rep_open(list[i], rep);
  }
  doca_devinfo_rep_destroy_list(list);
  if (result != DOCA_SUCCESS) DOCA_LOG_ERR("The device has no representor %s", pci_addr);
  return result;
}

/* --- Waiting ----------------------------------------------------------------------------- */

void example_pause(void) {
  const struct timespec ten_us = {.tv_sec = 0, .tv_nsec = 10000};
  thrd_sleep(&ten_us, NULL);
}

doca_error_t example_loop_create(bool epoll, struct example_loop *loop) {
  loop->epoll_fd = -1;
  TRY(doca_pe_create(&loop->pe));
  if (!epoll) return DOCA_SUCCESS;
  TRY(doca_pe_get_notification_handle(loop->pe, &loop->handle));
  struct epoll_event wanted = {.events = EPOLLIN};
  loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (loop->epoll_fd < 0 || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->handle, &wanted) != 0) {
    return DOCA_ERROR_OPERATING_SYSTEM;
  }
  return DOCA_SUCCESS;
}

void example_loop_destroy(struct example_loop *loop) {
  if (loop->epoll_fd >= 0) close(loop->epoll_fd);
  if (loop->pe != NULL) doca_pe_destroy(loop->pe);
}

void example_loop_run(struct example_loop *loop) {
  if (doca_pe_progress(loop->pe)) return;
  if (loop->epoll_fd < 0) {
    example_pause();
    return;
  }
  /* What happened before the request makes the handle readable at once: no event is lost. */
  struct epoll_event event;
  doca_pe_request_notification(loop->pe);
  epoll_wait(loop->epoll_fd, &event, 1, -1);
  doca_pe_clear_notification(loop->pe, loop->handle);
}
