/* any_number: calls of the C API with numbers that its enumerations do not name, as only a C
 * program can make them: in C++ such a value may not even be looked at. */
#ifndef DOCA_TEST_ANY_NUMBER_H_
#define DOCA_TEST_ANY_NUMBER_H_

#include <doca_comch.h>
#include <doca_pe.h>

#ifdef __cplusplus
extern "C" {
#endif

doca_error_t set_event_mode_number(struct doca_pe* pe, unsigned int mode);
doca_error_t get_counter_number(const struct doca_comch_connection* connection,
                                unsigned int counter, uint64_t* value);

#ifdef __cplusplus
}
#endif

#endif
