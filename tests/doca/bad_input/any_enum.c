/* any_enum: see any_enum.h. */
#include "doca/bad_input/any_enum.h"

#include <doca_dpa_dev.h>

void set_argp_type_number(struct doca_argp_param* param, unsigned int type) {
  doca_argp_param_set_type(param, (enum doca_argp_type)type);
}

doca_error_t get_cc_counter_number(const struct doca_cc_connection* connection,
                                   unsigned int counter, uint64_t* value) {
  return doca_cc_connection_get_counter(connection, (enum doca_cc_counter)counter, value);
}

doca_error_t set_dpa_log_level_number(struct doca_dpa* dpa, unsigned int level) {
  return doca_dpa_set_log_level(dpa, (doca_dpa_dev_log_level_t)level);
}

void log_from_device_number(unsigned int level) {
  doca_dpa_dev_log((doca_dpa_dev_log_level_t)level, "%s", "");
}

const char* error_name_number(unsigned int error) {
  return doca_error_get_name((doca_error_t)error);
}

const char* error_descr_number(unsigned int error) {
  return doca_error_get_descr((doca_error_t)error);
}
