// Sanitizers: which of them this build has.
//
//   #if COMCH_ADDRESS_SANITIZER
//   #if COMCH_THREAD_SANITIZER
//
// They see more than a test can, and hold more memory than the program does.
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

#if defined(__SANITIZE_THREAD__)
#define COMCH_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COMCH_THREAD_SANITIZER 1
#endif
#endif
#if !defined(COMCH_THREAD_SANITIZER)
#define COMCH_THREAD_SANITIZER 0
#endif
