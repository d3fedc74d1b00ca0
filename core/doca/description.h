// description: how a description of a device answers, for devices and representors alike.
//
// Threads: pure functions.
#pragma once

#include <doca_dev.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

#include "comch/device.h"
#include "doca/refuse.h"

namespace comch::doca {

// Puts `text` and a NUL into `room`, which the API wants to have `wanted` bytes at least.
inline doca_error_t give_text(std::string_view text, char* room, std::size_t size,
                              std::size_t wanted,
                              std::source_location where = std::source_location::current()) {
  if (room == nullptr) return null_argument(where);
  if (size < wanted || size <= text.size()) {
    return refuse(Errc::invalid_value, "there is too little room for the text", where);
  }
  *std::ranges::copy(text, room).out = '\0';
  return DOCA_SUCCESS;
}

inline doca_error_t give_pci(const std::string& pci, char* room,
                             std::source_location where = std::source_location::current()) {
  return give_text(pci, room, DOCA_DEVINFO_PCI_ADDR_SIZE, DOCA_DEVINFO_PCI_ADDR_SIZE, where);
}

// Whether `text` is the address `pci`, in one of its forms.
inline doca_error_t compare_pci(std::string_view pci, const char* text, std::uint8_t* is_equal,
                                std::source_location where = std::source_location::current()) {
  if (text == nullptr || is_equal == nullptr) return null_argument(where);
  return guarded([&] {
    const std::optional<std::string> address = normal_pci(text);
    if (!address) return refuse(Errc::invalid_value, "the text is no PCI address", where);
    *is_equal = *address == pci;
    return DOCA_SUCCESS;
  });
}

constexpr doca_pci_func_type type_of(FunctionKind kind) {
  return static_cast<doca_pci_func_type>(kind);  // The same order; see the test.
}

template <class Value>
doca_error_t give(Value value, Value* room,
                  std::source_location where = std::source_location::current()) {
  if (room == nullptr) return null_argument(where);
  *room = value;
  return DOCA_SUCCESS;
}

}  // namespace comch::doca
