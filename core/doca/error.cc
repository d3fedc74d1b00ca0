// doca_error: the names of the errors, and a sentence about each.
#include <doca_error.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "comch/result.h"

namespace {

struct Word {
  doca_error_t error;
  const char* name;
  const char* description;
};

#define COMCH_WORD(word, description) \
  Word { word, #word, description }
constexpr std::array kWords{
    COMCH_WORD(DOCA_SUCCESS, "The call has done its work"),
    COMCH_WORD(DOCA_ERROR_UNKNOWN, "It failed for a reason that has no name; see the log"),
    COMCH_WORD(DOCA_ERROR_NOT_PERMITTED, "This caller may not do this, or not with this object"),
    COMCH_WORD(DOCA_ERROR_IN_USE, "Something still depends on the object"),
    COMCH_WORD(DOCA_ERROR_NOT_SUPPORTED, "The device or the library cannot do this"),
    COMCH_WORD(DOCA_ERROR_AGAIN, "Nothing was done; try again later"),
    COMCH_WORD(DOCA_ERROR_INVALID_VALUE, "An argument is wrong"),
    COMCH_WORD(DOCA_ERROR_NO_MEMORY, "There is no memory, or no free element"),
    COMCH_WORD(DOCA_ERROR_INITIALIZATION, "The object could not be set up"),
    COMCH_WORD(DOCA_ERROR_TIME_OUT, "The other side did not answer in time"),
    COMCH_WORD(DOCA_ERROR_SHUTDOWN, "The object is being taken down"),
    COMCH_WORD(DOCA_ERROR_CONNECTION_RESET, "The other side is gone"),
    COMCH_WORD(DOCA_ERROR_CONNECTION_ABORTED, "The connection was refused, or has ended"),
    COMCH_WORD(DOCA_ERROR_CONNECTION_INPROGRESS, "The connection is not established yet"),
    COMCH_WORD(DOCA_ERROR_NOT_CONNECTED, "There is no progress engine, or no connection"),
    COMCH_WORD(DOCA_ERROR_NO_LOCK, "A lock could not be taken"),
    COMCH_WORD(DOCA_ERROR_NOT_FOUND, "There is no such thing"),
    COMCH_WORD(DOCA_ERROR_IO_FAILED, "Reading or writing failed"),
    COMCH_WORD(DOCA_ERROR_BAD_STATE, "The object's state does not allow this now"),
    COMCH_WORD(DOCA_ERROR_UNSUPPORTED_VERSION, "The two ends speak no common version"),
    COMCH_WORD(DOCA_ERROR_OPERATING_SYSTEM, "The operating system refused"),
    COMCH_WORD(DOCA_ERROR_DRIVER, "The driver refused"),
    COMCH_WORD(DOCA_ERROR_UNEXPECTED, "Something happened that should not"),
    COMCH_WORD(DOCA_ERROR_ALREADY_EXIST, "There is one already"),
    COMCH_WORD(DOCA_ERROR_FULL, "There is no more room"),
    COMCH_WORD(DOCA_ERROR_EMPTY, "There is nothing left"),
    COMCH_WORD(DOCA_ERROR_IN_PROGRESS, "It has begun, and progress will finish it"),
    COMCH_WORD(DOCA_ERROR_TOO_BIG, "A number or size is too large"),
    COMCH_WORD(DOCA_ERROR_AUTHENTICATION, "The other side does not admit this user"),
    COMCH_WORD(DOCA_ERROR_BAD_CONFIG, "The configuration says something impossible"),
    COMCH_WORD(DOCA_ERROR_SKIPPED, "It was left out"),
};
#undef COMCH_WORD

static_assert([] {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (static_cast<std::size_t>(kWords[i].error) != i) return false;
  }
  return true;
}());
// What refuse() and answer() stand on; result_test.cc and error_test.cc compare every word.
static_assert(static_cast<int>(comch::Errc::skipped) == DOCA_ERROR_SKIPPED);

// By a number: what a C program passes need not be one of the names.
const Word* word_of(std::size_t number) {
  return number < kWords.size() ? &kWords.at(number) : nullptr;
}

}  // namespace

const char* doca_error_get_name(doca_error_t error) {
  const Word* word = word_of(std::bit_cast<std::uint32_t>(error));
  return word != nullptr ? word->name : "DOCA_ERROR_<no such number>";
}

const char* doca_error_get_descr(doca_error_t error) {
  const Word* word = word_of(std::bit_cast<std::uint32_t>(error));
  return word != nullptr ? word->description : "There is no error of this number";
}
