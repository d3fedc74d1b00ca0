// doca_dev and doca_dev_rep: lists of what there is, and handles of what is open. What is asked
// of a description is in devinfo.cc and devinfo_rep.cc.
//
// A list is an array of pointers closed by null, so that it can be destroyed without its length.
#include "doca/dev.h"

#include <doca_dev.h>

#include <memory>
#include <vector>

#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;

namespace {

constexpr int kKnownFilters = DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED;

// Hands entries that are complete to the program.
template <class Entry>
Entry** list_of(std::vector<std::unique_ptr<Entry>> entries) {
  auto list = std::make_unique<Entry*[]>(entries.size() + 1);  // Zeroed: the last closes it.
  for (std::size_t i = 0; i < entries.size(); ++i) list[i] = entries[i].release();
  return list.release();
}

template <class Entry>
doca_error_t destroy_list(Entry** list,
                          std::source_location where = std::source_location::current()) {
  if (list == nullptr) return doca::null_argument(where);
  for (Entry** entry = list; *entry != nullptr; ++entry) delete *entry;
  delete[] list;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_devinfo_create_list(doca_devinfo*** dev_list, std::uint32_t* nb_devs) {
  if (dev_list == nullptr || nb_devs == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    const auto devices = comch::list_devices();
    // Which line of which file is wrong was said already.
    if (!devices) return doca::refuse(Errc::not_found, "the devices are described wrongly");
    std::vector<std::unique_ptr<doca_devinfo>> entries;
    for (const comch::DeviceInfo& device : *devices) {
      entries.push_back(std::make_unique<doca_devinfo>(device));
    }
    *dev_list = list_of(std::move(entries));
    *nb_devs = static_cast<std::uint32_t>(devices->size());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_devinfo_destroy_list(doca_devinfo** dev_list) { return destroy_list(dev_list); }

doca_error_t doca_devinfo_rep_create_list(doca_dev* dev, int filter,
                                          doca_devinfo_rep*** dev_list_rep,
                                          std::uint32_t* nb_devs_rep) {
  if (dev == nullptr || dev_list_rep == nullptr || nb_devs_rep == nullptr) {
    return doca::null_argument();
  }
  if ((filter & ~kKnownFilters) != 0) {
    return doca::refuse(Errc::invalid_value, "the filter has bits that mean nothing");
  }
  const comch::DeviceInfo& info = dev->device->info();
  if (info.side == comch::Side::kHost) {
    return doca::refuse(Errc::not_supported, "a device on the host's side has no representors");
  }
  return doca::guarded([&] {
    std::vector<std::unique_ptr<doca_devinfo_rep>> entries;
    if (filter != DOCA_DEVINFO_REP_FILTER_EMULATED) {
      for (const comch::RepresentorInfo& representor : info.representors) {
        entries.push_back(std::make_unique<doca_devinfo_rep>(dev->device, representor));
      }
    }
    const auto count = static_cast<std::uint32_t>(entries.size());
    *dev_list_rep = list_of(std::move(entries));
    *nb_devs_rep = count;
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_devinfo_rep_destroy_list(doca_devinfo_rep** dev_list_rep) {
  return destroy_list(dev_list_rep);
}

doca_error_t doca_dev_open(doca_devinfo* devinfo, doca_dev** dev) {
  if (devinfo == nullptr || dev == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    auto open = std::make_unique<doca_dev>();
    open->device = std::make_shared<comch::Device>(devinfo->info);
    open->info = *devinfo;
    *dev = open.release();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dev_close(doca_dev* dev) {
  if (dev == nullptr) return doca::null_argument();
  dev->release();
  return DOCA_SUCCESS;
}

doca_error_t doca_dev_accelerate_resource_reclaim(doca_dev* dev) {
  if (dev == nullptr) return doca::null_argument();
  return doca::refuse(Errc::not_supported, "nothing of a device here is reclaimed late");
}

doca_error_t doca_dev_rep_open(doca_devinfo_rep* devinfo, doca_dev_rep** dev_rep) {
  if (devinfo == nullptr || dev_rep == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    auto open = std::make_unique<doca_dev_rep>();
    open->representor = std::make_shared<comch::Representor>(devinfo->device, devinfo->info);
    open->info = *devinfo;
    *dev_rep = open.release();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dev_rep_close(doca_dev_rep* dev) {
  if (dev == nullptr) return doca::null_argument();
  dev->release();
  return DOCA_SUCCESS;
}

// The API gives a description that can be written to; no function writes to one.

doca_devinfo* doca_dev_as_devinfo(const doca_dev* dev) {
  return dev != nullptr ? const_cast<doca_devinfo*>(&dev->info) : nullptr;
}

doca_devinfo_rep* doca_dev_rep_as_devinfo(doca_dev_rep* dev_rep) {
  return dev_rep != nullptr ? &dev_rep->info : nullptr;
}
