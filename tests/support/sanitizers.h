// Sanitizers: whether this build has the address sanitizer.
//
//   #if COMCH_ADDRESS_SANITIZER
//
// It sees more than a test can, and holds more memory than the program does.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define COMCH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMCH_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(COMCH_ADDRESS_SANITIZER)
#define COMCH_ADDRESS_SANITIZER 0
#endif
