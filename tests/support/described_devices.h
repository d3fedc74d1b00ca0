// DescribedDevices: devices of one test's own, described as a machine's administrator would.
//
//   DescribedDevices devices(kTwoFunctions);
//   Device::open("host1")
//
// Threads: make and drop it while no other thread reads the environment.
// Lifetime: the devices are there for as long as it is, and those from before afterwards; a device
// that was opened stays.
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "support/temp_dir.h"

namespace comch::test {

// A DPU that serves two functions of its host, and both of them.
inline constexpr const char* kTwoFunctions = R"(
[[device]]
name = "dpu0"
pci = "0000:03:00.0"
side = "dpu"
[[device.representor]]
pci = "0000:b1:00.0"
[[device.representor]]
pci = "0000:b1:00.1"
[[device]]
name = "host0"
pci = "0000:b1:00.0"
side = "host"
[[device]]
name = "host1"
pci = "0000:b1:00.1"
side = "host"
)";

// Two DPUs, each of which serves a function of a host of its own.
inline constexpr const char* kTwoDpus = R"(
[[device]]
name = "first"
pci = "0000:03:00.0"
side = "dpu"
[[device.representor]]
pci = "0000:b1:00.0"
[[device]]
name = "second"
pci = "0000:04:00.0"
side = "dpu"
[[device.representor]]
pci = "0000:b2:00.0"
)";

class DescribedDevices {
 public:
  explicit DescribedDevices(const std::string& description) {
    describe(description);
    if (const char* former = std::getenv("COMCH_DEVICES")) former_ = former;
    ::setenv("COMCH_DEVICES", (dir_ / "devices.toml").c_str(), 1);
  }
  ~DescribedDevices() {
    if (former_) {
      ::setenv("COMCH_DEVICES", former_->c_str(), 1);
    } else {
      ::unsetenv("COMCH_DEVICES");
    }
  }
  DescribedDevices(const DescribedDevices&) = delete;
  DescribedDevices& operator=(const DescribedDevices&) = delete;

  // From now on.
  void describe(const std::string& description) const {
    std::ofstream(dir_ / "devices.toml") << description;
  }

 private:
  TempDir dir_;
  std::optional<std::string> former_;
};

}  // namespace comch::test
