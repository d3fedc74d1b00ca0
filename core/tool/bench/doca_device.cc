// What the options mean is asked of fabric.h; what they mean has an address, by which the C API
// finds it.
#include "tool/bench/doca_device.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "tool/fabric.h"

namespace comch::tool {
namespace {

Status open_by_address(const std::string& pci, DocaOwned<doca_dev, doca_dev_close>& device) {
  doca_devinfo** list = nullptr;
  std::uint32_t count = 0;
  Status status = status_of(doca_devinfo_create_list(&list, &count));
  if (!status) return status;
  status = fail(Errc::not_found);
  for (doca_devinfo* info : std::span(list, count)) {
    std::uint8_t equal = 0;
    std::ignore = doca_devinfo_is_equal_pci_addr(info, pci.c_str(), &equal);
    if (equal != 0) status = make(device, doca_dev_open, info);
  }
  std::ignore = doca_devinfo_destroy_list(list);
  return status;
}

Status open_by_address(const std::string& pci, doca_dev* device,
                       DocaOwned<doca_dev_rep, doca_dev_rep_close>& representor) {
  doca_devinfo_rep** list = nullptr;
  std::uint32_t count = 0;
  Status status =
      status_of(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
  if (!status) return status;
  status = fail(Errc::not_found);
  for (doca_devinfo_rep* info : std::span(list, count)) {
    std::uint8_t equal = 0;
    std::ignore = doca_devinfo_rep_is_equal_pci_addr(info, pci.c_str(), &equal);
    if (equal != 0) status = make(representor, doca_dev_rep_open, info);
  }
  std::ignore = doca_devinfo_rep_destroy_list(list);
  return status;
}

}  // namespace

Outcome<DocaPlace> open_doca_client_place(const CommonOptions& common) {
  auto found = open_client_device(common);
  if (!found) return std::unexpected(found.error());
  DocaPlace place;
  const std::string& pci = (*found)->info().pci;
  if (auto opened = open_by_address(pci, place.device); !opened) {
    return complain(fmt::format("cannot open the device {}", pci), opened.error());
  }
  return place;
}

Outcome<DocaPlace> open_doca_server_place(const CommonOptions& common) {
  auto found = open_server_place(common);
  if (!found) return std::unexpected(found.error());
  DocaPlace place;
  Status opened = open_by_address(found->device->info().pci, place.device);
  if (opened) {
    opened = open_by_address(found->representor->info().pci, place.device.get(), place.representor);
  }
  if (!opened) {
    return complain(
        fmt::format("cannot open the device {} and its representor", found->device->info().pci),
        opened.error());
  }
  return place;
}

}  // namespace comch::tool
