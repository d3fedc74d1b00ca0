// The version of the library.
#include "comch/comch.h"

namespace comch {

const char* version() { return COMCH_VERSION; }

}  // namespace comch
