/* any_enum: calls of the C API with numbers that its enumerations do not name, as any_number.h. */
#ifndef DOCA_TEST_ANY_ENUM_H_
#define DOCA_TEST_ANY_ENUM_H_

#include <doca_argp.h>
#include <doca_cc.h>
#include <doca_dpa.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

void set_argp_type_number(struct doca_argp_param* param, unsigned int type);
doca_error_t get_cc_counter_number(const struct doca_cc_connection* connection,
                                   unsigned int counter, uint64_t* value);
doca_error_t set_dpa_log_level_number(struct doca_dpa* dpa, unsigned int level);
void log_from_device_number(unsigned int level);
const char* error_name_number(unsigned int error);
const char* error_descr_number(unsigned int error);

#ifdef __cplusplus
}
#endif

#endif
