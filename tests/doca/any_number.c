/* any_number: see any_number.h. */
#include "doca/any_number.h"

doca_error_t set_event_mode_number(struct doca_pe* pe, unsigned int mode) {
  return doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)mode);
}

doca_error_t get_counter_number(const struct doca_comch_connection* connection,
                                unsigned int counter, uint64_t* value) {
  return doca_comch_connection_get_counter(connection, (enum doca_comch_counter)counter, value);
}
