// user_data: the program's own word, as each of the two APIs spells it.
//
// Threads: values.
#pragma once

#include <doca_types.h>

#include "comch/context.h"

namespace comch::doca {

inline doca_data user_data_of(UserData data) { return doca_data{.u64 = data.value}; }
inline UserData user_data_of(doca_data data) { return UserData{.value = data.u64}; }

}  // namespace comch::doca
