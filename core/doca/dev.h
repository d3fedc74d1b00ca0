// What stands behind the handles of doca_dev.h.
//
// Devices and representors that are open are shared by the program's handle and by what was
// made on them, so that they may be closed in any order.
//
// Threads: the objects do not change once made, but for their counts.
#pragma once

#include <doca_dev.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "comch/device.h"

// An entry of a list, or the description of an open device.
struct doca_devinfo {
  comch::DeviceInfo info;
};

struct doca_devinfo_rep {
  std::shared_ptr<comch::Device> device;  // Whose representor it is.
  comch::RepresentorInfo info;
};

namespace comch::doca {

// A handle of the program's that others hold on to as well. Made with one holder.
template <class Handle>
class Held {
 public:
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // acq_rel: whoever deletes has seen what the other holders did with it.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<Handle*>(this);
  }

 private:
  friend Handle;
  Held() = default;

  std::atomic<std::uint32_t> holders_{1};
};

// One hold, for as long as this lives. May be empty.
template <class Handle>
class Hold {
 public:
  Hold() = default;
  explicit Hold(Handle* handle) : handle_(handle) {
    if (handle_ != nullptr) handle_->hold();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    if (handle_ != nullptr) handle_->release();
  }
  Handle* get() const { return handle_; }

 private:
  Handle* handle_ = nullptr;
};

}  // namespace comch::doca

struct doca_dev : comch::doca::Held<doca_dev> {
  std::shared_ptr<comch::Device> device;
  doca_devinfo info;
};

struct doca_dev_rep : comch::doca::Held<doca_dev_rep> {
  std::shared_ptr<comch::Representor> representor;
  doca_devinfo_rep info;
};
