// doca_devinfo_rep: what is asked of a representor's description; see doca_dev.h.
#include <doca_dev.h>

#include <algorithm>

#include "doca/description.h"
#include "doca/dev.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::FunctionKind;

namespace {

// How many of that kind stand before it in its device's list.
std::uint32_t count_before(const doca_devinfo_rep& rep, FunctionKind kind) {
  const auto& all = rep.device->info().representors;
  const auto itself = std::ranges::find(all, rep.info.pci, &comch::RepresentorInfo::pci);
  return static_cast<std::uint32_t>(
      std::ranges::count(all.begin(), itself, kind, &comch::RepresentorInfo::kind));
}

}  // namespace

doca_error_t doca_devinfo_rep_get_vuid(const doca_devinfo_rep* devinfo_rep, char* rep_vuid,
                                       std::uint32_t size) {
  if (devinfo_rep == nullptr || rep_vuid == nullptr) return doca::null_argument();
  return doca::give_text(devinfo_rep->info.vuid, rep_vuid, size, DOCA_DEVINFO_REP_VUID_SIZE);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const doca_devinfo_rep* devinfo_rep,
                                               char* pci_addr_str) {
  if (devinfo_rep == nullptr || pci_addr_str == nullptr) return doca::null_argument();
  return doca::give_pci(devinfo_rep->info.pci, pci_addr_str);
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const doca_devinfo_rep* devinfo_rep,
                                                doca_pci_func_type* pci_func_type) {
  if (devinfo_rep == nullptr || pci_func_type == nullptr) return doca::null_argument();
  return doca::give(doca::type_of(devinfo_rep->info.kind), pci_func_type);
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const doca_devinfo_rep* devinfo_rep,
                                             std::uint8_t* is_hotplug) {
  if (devinfo_rep == nullptr) return doca::null_argument();
  return doca::give(std::uint8_t{0}, is_hotplug);
}

doca_error_t doca_devinfo_rep_get_iface_name(const doca_devinfo_rep* devinfo_rep, char* iface_name,
                                             std::uint32_t size) {
  if (devinfo_rep == nullptr || iface_name == nullptr) return doca::null_argument();
  if (size < DOCA_DEVINFO_IFACE_NAME_SIZE) {
    return doca::refuse(Errc::invalid_value, "there is too little room for the text");
  }
  return doca::refuse(Errc::operating_system, "a representor here has no network interface");
}

doca_error_t doca_devinfo_rep_get_vhca_id(const doca_devinfo_rep* devinfo_rep,
                                          std::uint16_t* vhca_id) {
  if (devinfo_rep == nullptr || vhca_id == nullptr) return doca::null_argument();
  const auto& all = devinfo_rep->device->info().representors;
  const auto found = std::ranges::find(all, devinfo_rep->info.pci, &comch::RepresentorInfo::pci);
  return doca::give(static_cast<std::uint16_t>(found - all.begin()), vhca_id);
}

// All functions are of the one host that this machine is.
doca_error_t doca_devinfo_rep_get_host_index(const doca_devinfo_rep* devinfo_rep,
                                             std::uint32_t* host_index) {
  if (devinfo_rep == nullptr) return doca::null_argument();
  return doca::give(std::uint32_t{0}, host_index);
}

doca_error_t doca_devinfo_rep_get_pf_index(const doca_devinfo_rep* devinfo_rep,
                                           std::uint32_t* pf_index) {
  if (devinfo_rep == nullptr || pf_index == nullptr) return doca::null_argument();
  const std::uint32_t before = count_before(*devinfo_rep, FunctionKind::kPf);
  const bool itself = devinfo_rep->info.kind == FunctionKind::kPf;
  return doca::give(itself || before == 0 ? before : before - 1, pf_index);
}

doca_error_t doca_devinfo_rep_get_vf_index(const doca_devinfo_rep* devinfo_rep,
                                           std::uint32_t* vf_index) {
  if (devinfo_rep == nullptr || vf_index == nullptr) return doca::null_argument();
  if (devinfo_rep->info.kind != FunctionKind::kVf) {
    return doca::refuse(Errc::not_supported, "the representor is of no virtual function");
  }
  return doca::give(count_before(*devinfo_rep, FunctionKind::kVf), vf_index);
}

doca_error_t doca_devinfo_rep_get_sf_index(const doca_devinfo_rep* devinfo_rep,
                                           std::uint32_t* sf_index) {
  if (devinfo_rep == nullptr || sf_index == nullptr) return doca::null_argument();
  if (devinfo_rep->info.kind != FunctionKind::kSf) {
    return doca::refuse(Errc::not_supported, "the representor is of no sub-function");
  }
  return doca::give(count_before(*devinfo_rep, FunctionKind::kSf), sf_index);
}

doca_error_t doca_devinfo_rep_get_iface_index(const doca_devinfo_rep* devinfo_rep,
                                              std::uint32_t* iface_index) {
  if (devinfo_rep == nullptr || iface_index == nullptr) return doca::null_argument();
  return doca::refuse(Errc::operating_system, "a representor here has no network interface");
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const doca_devinfo_rep* devinfo_rep,
                                                const char* pci_addr_str, std::uint8_t* is_equal) {
  if (devinfo_rep == nullptr || pci_addr_str == nullptr || is_equal == nullptr) {
    return doca::null_argument();
  }
  return doca::compare_pci(devinfo_rep->info.pci, pci_addr_str, is_equal);
}
