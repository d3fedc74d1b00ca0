// Described: tests whose devices are those of a file of their own: a DPU with two functions of
// its host, both of them, and two sub-functions.
//
// Threads: the test's. Lifetime: the file is gone with the test.
#pragma once

#include <doca_dev.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/described_devices.h"

namespace comch::test {

inline constexpr const char* kDescription = R"(
[[device]]
name = "card0"
pci = "0000:03:00.0"
side = "dpu"
[[device.representor]]
pci = "0000:b1:00.0"
vuid = "PF0"
[[device.representor]]
pci = "0000:b1:00.2"
kind = "vf"

[[device]]
name = "host0"
pci = "0000:b1:00.0"
side = "host"
[[device]]
name = "host1"
pci = "0000:b1:00.2"
side = "host"
kind = "vf"
[[device]]
name = "sub0"
pci = "0000:03:00.4"
side = "dpu"
kind = "sf"
[[device.representor]]
pci = "0000:b1:00.3"
[[device]]
name = "sub1"
pci = "0000:03:00.5"
side = "dpu"
kind = "sf"
[[device.representor]]
pci = "0000:b1:00.4"
[[device.representor]]
pci = "0000:b1:00.5"
kind = "sf"
[[device.representor]]
pci = "0000:b1:00.6"
kind = "sf"
)";

struct DescribedTest : testing::Test {
  ~DescribedTest() override {
    if (list != nullptr) doca_devinfo_destroy_list(list);
  }

  void describe(const std::string& text) const { devices.describe(text); }

  // The entry of a PCI address of the list; null: there is none.
  doca_devinfo* info(const char* pci) {
    if (list == nullptr && doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS) return nullptr;
    for (uint32_t i = 0; i < count; ++i) {
      uint8_t equal = 0;
      if (doca_devinfo_is_equal_pci_addr(list[i], pci, &equal) == DOCA_SUCCESS && equal != 0) {
        return list[i];
      }
    }
    return nullptr;
  }
  doca_dev* open(const char* pci) {
    doca_dev* dev = nullptr;
    EXPECT_EQ(doca_dev_open(info(pci), &dev), DOCA_SUCCESS);
    return dev;
  }

  DescribedDevices devices{kDescription};
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
};

}  // namespace comch::test
