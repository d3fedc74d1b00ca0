// doca_version: the version that the library was built as.
#include <doca_version.h>

const char* doca_version_runtime(void) { return DOCA_VERSION_STRING; }
