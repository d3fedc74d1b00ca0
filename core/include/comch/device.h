// Device: what a context is opened on, and Representor: the host function a server serves.
//
// A device belongs to a side. Servers live on DPU-side devices and serve one
// representor; clients live on host-side devices, each of which is the function some
// representor stands for. The built-in fabric needs no hardware:
//
//   comch0       0000:03:00.0  dpu   with representor 0000:b1:00.0
//   comch0-host  0000:b1:00.0  host
//
// A TOML file (/etc/comch/devices.toml, or $COMCH_DEVICES) replaces it by a
// description of your own; core/comch/README.md shows one. A device with an RdmaLink meets
// its peers on other machines. The verbs devices of this machine are listed behind the
// others, by their verbs names; both servers and clients live on them.
//
//   auto device = Device::open("0000:03:00.0").value();
//   auto function = Representor::open(device, "b1:00.0").value();
//   auto server = Server::create(device, function, "echo").value();
//
// Threads: the objects do not change once made; share them freely.
// Lifetime: shared; a context keeps what it was made on.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comch/capability.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

enum class Side : std::uint8_t { kHost, kDpu };
enum class FunctionKind : std::uint8_t { kPf, kVf, kSf };

std::string_view name(Side side);          // "host", "dpu"
std::string_view name(FunctionKind kind);  // "pf", "vf", "sf"

// Who besides root may connect to the servers of a representor, when the server itself
// does not say (see AccessList in server.h).
struct RepresentorInfo {
  std::string pci;   // "0000:b1:00.0", always the long form.
  std::string vuid;  // Vendor unique id, at most 127 bytes.
  FunctionKind kind = FunctionKind::kPf;
  std::vector<std::uint32_t> allow_uids;
  std::vector<std::uint32_t> allow_gids;
  bool allow_everyone = false;
  // Of a device with an RdmaLink: which machines may connect, each by its address, GID or host
  // name; "any" is every machine that gets through to us. Empty: none.
  std::vector<std::string> allow_hosts;
};

// How a device meets peers on other machines. What is empty is left to the system.
struct RdmaLink {
  std::string verbs;     // The verbs device, as in "mlx5_0"; else the one that has the address.
  std::string address;   // Of this machine: servers listen there, clients speak from there.
  std::string server;    // Of the machine with a client's servers, unless rdma://HOST/NAME says.
  std::string key_file;  // Holds the pre-shared key; with one, peers must prove that they have it.
  std::uint32_t keepalive_ms = 10'000;  // A peer that is silent for so long is lost.

  auto operator<=>(const RdmaLink&) const = default;
};

struct DeviceInfo {
  std::string name;  // "comch0"; unique.
  std::string pci;   // "0000:03:00.0", always the long form; unique.
  std::string vuid;
  Side side = Side::kHost;
  FunctionKind kind = FunctionKind::kPf;
  Capability capability;
  std::vector<RepresentorInfo> representors;  // Empty on a host-side device.
  std::optional<RdmaLink> rdma;               // None: peers are met in shared memory.
};

// "b1:00.0" and "0000:B1:00.0" are the same address: the long form in lower case, or
// nothing when `text` is no PCI address.
std::optional<std::string> normal_pci(std::string_view text);

// Every device there is, in the order of the description.
// bad_config: the description is wrong; the log says in which line.
Result<std::vector<DeviceInfo>> list_devices();

class Device {
 public:
  // `which` is a name or a PCI address, long or short.
  // not_found: no such device. bad_config: as list_devices().
  static Result<std::shared_ptr<Device>> open(std::string_view which);

  // The first device of a side: what a program without an opinion wants.
  static Result<std::shared_ptr<Device>> open_first(Side side);

  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  const DeviceInfo& info() const { return info_; }

 private:
  DeviceInfo info_;
};

class Representor {
 public:
  // `which` is a PCI address, long or short, or a vuid; on a verbs device that nobody described
  // it is the machine that may connect, as in RepresentorInfo::allow_hosts.
  // not_found: the device has no such representor.
  // not_supported: the device is on the host side and has none at all.
  static Result<std::shared_ptr<Representor>> open(std::shared_ptr<Device> device,
                                                   std::string_view which);
  // On such a device: one that lets nobody in, with which no server starts.
  static Result<std::shared_ptr<Representor>> open_first(std::shared_ptr<Device> device);

  Representor(std::shared_ptr<Device> device, RepresentorInfo info)
      : device_(std::move(device)), info_(std::move(info)) {}
  const RepresentorInfo& info() const { return info_; }
  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  std::shared_ptr<Device> device_;
  RepresentorInfo info_;
};

}  // namespace comch
#pragma GCC visibility pop
