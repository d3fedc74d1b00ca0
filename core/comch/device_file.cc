// Device file: reading TOML into DeviceInfo, and saying what is wrong with it.
//
// Every function that reads a part answers with the part or with a Complaint (see
// toml_value.h); the first complaint ends the reading and becomes the log line.
#include "comch/device_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/say.h"
#include "base/text.h"
#include "comch/device_rdma.h"
#include "comch/toml_value.h"

namespace comch {
namespace {

constexpr std::size_t kNameMax = 63;         // As long as a verbs device name may be.
constexpr std::size_t kVuidMax = 127;        // DOCA's 128 bytes with their closing NUL.
constexpr std::size_t kFileMax = 1u << 20u;  // Thousands of devices; picked, not tuned.

Read<std::string> read_pci(const toml::table& table) {
  const Read<std::string> text = read_text(table, "pci", 12);
  if (!text) return text;
  std::optional<std::string> pci = normal_pci(*text);
  if (!pci) {
    return complain(*table.get("pci"), "pci \"{}\" is no address; write it like 0000:03:00.0",
                    *text);
  }
  return *std::move(pci);
}

Read<FunctionKind> read_kind(const toml::table& table) {
  return read_choice<FunctionKind>(
      table, "kind", {FunctionKind::kPf, FunctionKind::kVf, FunctionKind::kSf}, FunctionKind::kPf);
}

struct Limit {
  std::string_view key;
  std::uint32_t Capability::* field;
  std::uint32_t min;
};
constexpr std::array kLimits{
    Limit{"max_name_length", &Capability::max_name_length, 2},  // One byte and its NUL.
    Limit{"max_message_size", &Capability::max_message_size, 1},
    Limit{"max_recv_queue_size", &Capability::max_recv_queue_size, 1},
    Limit{"max_send_tasks", &Capability::max_send_tasks, 1},
    Limit{"max_clients", &Capability::max_clients, 1},
};

Capability capability_of(Side side) {
  Capability capability;
  capability.server = side == Side::kDpu;
  capability.client = side == Side::kHost;
  return capability;
}

// [device.limits] may lower what the engine can do, never raise it.
Read<Capability> read_capability(const toml::table& device, Side side) {
  Capability capability = capability_of(side);
  const toml::node* node = device.get("limits");
  if (node == nullptr) return capability;
  const toml::table* limits = node->as_table();
  if (limits == nullptr) return complain(*node, "limits is no table; write [device.limits]");
  std::vector<std::string_view> keys;
  std::ranges::transform(kLimits, std::back_inserter(keys), &Limit::key);
  if (const Read<void> known = only_known_keys(*limits, keys, "[device.limits]"); !known) {
    return std::unexpected(known.error());
  }
  for (const Limit& limit : kLimits) {
    const toml::node* value = limits->get(limit.key);
    if (value == nullptr) continue;
    const Read<std::uint32_t> number =
        read_number(*value, limit.key, limit.min, Capability{}.*limit.field);
    if (!number) return std::unexpected(number.error());
    capability.*limit.field = *number;
  }
  return capability;
}

// A vuid for whoever was not given one: unique because the address is.
std::string vuid_of(std::string_view pci) { return fmt::format("COMCH-{}", pci); }

Read<RepresentorInfo> read_representor(const toml::table& table, bool has_link) {
  static constexpr std::array<std::string_view, 7> kKeys{
      "pci", "vuid", "kind", "allow_uids", "allow_gids", "allow_everyone", "allow_hosts"};
  const Read<void> known = only_known_keys(table, kKeys, "[[device.representor]]");
  if (!known) return std::unexpected(known.error());
  const Read<std::string> pci = read_pci(table);
  if (!pci) return std::unexpected(pci.error());
  const Read<std::string> vuid = read_text(table, "vuid", kVuidMax, vuid_of(*pci));
  if (!vuid) return std::unexpected(vuid.error());
  const Read<FunctionKind> kind = read_kind(table);
  if (!kind) return std::unexpected(kind.error());
  const Read<std::vector<std::uint32_t>> uids = read_ids(table, "allow_uids");
  if (!uids) return std::unexpected(uids.error());
  const Read<std::vector<std::uint32_t>> gids = read_ids(table, "allow_gids");
  if (!gids) return std::unexpected(gids.error());
  const Read<bool> everyone = read_flag(table, "allow_everyone");
  if (!everyone) return std::unexpected(everyone.error());
  Read<std::vector<std::string>> hosts = read_allowed_hosts(table, has_link);
  if (!hosts) return std::unexpected(hosts.error());
  return RepresentorInfo{.pci = *pci,
                         .vuid = *vuid,
                         .kind = *kind,
                         .allow_uids = *uids,
                         .allow_gids = *gids,
                         .allow_everyone = *everyone,
                         .allow_hosts = *std::move(hosts)};
}

// What must not be there twice in one file, however far apart.
struct Taken {
  std::set<std::string> names;
  std::set<std::string> pcis;
  std::set<std::string> represented_pcis;   // A function has one representor: clients find
  std::set<std::string> represented_vuids;  // their servers by it.
};

Read<void> take(std::set<std::string>& taken, const std::string& value, const toml::table& table,
                std::string_view key) {
  if (taken.insert(value).second) return {};
  return complain(table, "{} \"{}\" is there twice; give this one its own", key, value);
}

Read<std::vector<RepresentorInfo>> read_representors(const toml::table& device, Side side,
                                                     bool has_link, Taken& taken) {
  std::vector<RepresentorInfo> representors;
  const auto tables = tables_of(device, "representor", "[[device.representor]]");
  if (!tables) return std::unexpected(tables.error());
  if (side == Side::kHost && !tables->empty()) {
    return complain(*tables->front(),
                    "a host device has no representor; put it under a dpu device");
  }
  if (side == Side::kDpu && tables->empty()) {
    return complain(device, "a dpu device serves somebody; add a [[device.representor]]");
  }
  for (const toml::table* table : *tables) {
    const Read<RepresentorInfo> representor = read_representor(*table, has_link);
    if (!representor) return std::unexpected(representor.error());
    const Read<void> pci = take(taken.represented_pcis, representor->pci, *table, "pci");
    if (!pci) return std::unexpected(pci.error());
    const Read<void> vuid = take(taken.represented_vuids, representor->vuid, *table, "vuid");
    if (!vuid) return std::unexpected(vuid.error());
    representors.push_back(*representor);
  }
  return representors;
}

Read<std::string> read_name(const toml::table& table) {
  const Read<std::string> name = read_text(table, "name", kNameMax);
  if (!name) return name;
  if (normal_pci(*name) || name->find('/') != std::string::npos || name->front() == '.') {
    return complain(*table.get("name"),
                    "name \"{}\" does not do; use one like comch0, with no / or leading dot, "
                    "that is no PCI address",
                    *name);
  }
  return name;
}

Read<DeviceInfo> read_device(const toml::table& table, Taken& taken) {
  static constexpr std::array<std::string_view, 8> kKeys{"name", "pci",    "side", "kind",
                                                         "vuid", "limits", "rdma", "representor"};
  const Read<void> known = only_known_keys(table, kKeys, "[[device]]");
  if (!known) return std::unexpected(known.error());
  const Read<std::string> name = read_name(table);
  if (!name) return std::unexpected(name.error());
  const Read<std::string> pci = read_pci(table);
  if (!pci) return std::unexpected(pci.error());
  const Read<Side> side = read_choice<Side>(table, "side", {Side::kHost, Side::kDpu});
  if (!side) return std::unexpected(side.error());
  const Read<FunctionKind> kind = read_kind(table);
  if (!kind) return std::unexpected(kind.error());
  const Read<std::string> vuid = read_text(table, "vuid", kVuidMax, vuid_of(*pci));
  if (!vuid) return std::unexpected(vuid.error());
  const Read<Capability> capability = read_capability(table, *side);
  if (!capability) return std::unexpected(capability.error());
  if (const Read<void> own = take(taken.names, *name, table, "name"); !own) {
    return std::unexpected(own.error());
  }
  if (const Read<void> own = take(taken.pcis, *pci, table, "pci"); !own) {
    return std::unexpected(own.error());
  }
  Read<std::optional<RdmaLink>> rdma = read_rdma_link(table, *side);
  if (!rdma) return std::unexpected(rdma.error());
  Read<std::vector<RepresentorInfo>> representors =
      read_representors(table, *side, rdma->has_value(), taken);
  if (!representors) return std::unexpected(representors.error());
  return DeviceInfo{.name = *name,
                    .pci = *pci,
                    .vuid = *vuid,
                    .side = *side,
                    .kind = *kind,
                    .capability = *capability,
                    .representors = *std::move(representors),
                    .rdma = *std::move(rdma)};
}

Read<std::vector<DeviceInfo>> read_devices(const toml::table& root) {
  static constexpr std::array<std::string_view, 1> kKeys{"device"};
  const Read<void> known = only_known_keys(root, kKeys, "device file");
  if (!known) return std::unexpected(known.error());
  const auto tables = tables_of(root, "device", "[[device]]");
  if (!tables) return std::unexpected(tables.error());
  if (tables->empty()) return complain(root, "no device is described; add a [[device]]");
  Taken taken;
  std::vector<DeviceInfo> devices;
  for (const toml::table* table : *tables) {
    Read<DeviceInfo> device = read_device(*table, taken);
    if (!device) return std::unexpected(device.error());
    devices.push_back(*std::move(device));
  }
  return devices;
}

std::unexpected<Error> bad_config(std::string_view file, const Complaint& complaint) {
  say(About(complaint.sentence), LogLevel::kError, "{}:{}: {}", printable(file),
      std::max(complaint.line, 1u), complaint.sentence);
  return fail(Errc::bad_config, "the device file is wrong; the log says where");
}

// The text of `file`, or nothing when it cannot be read or is no text to speak of.
std::optional<std::string> text_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kFileMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.eof() || in.bad()) return std::nullopt;  // Not opened, too long, or a directory.
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Result<std::vector<DeviceInfo>> load(const char* file, std::string_view advice) {
  const std::optional<std::string> text = text_of(file);
  if (text) return parse_devices(*text, file);
  say(LogLevel::kError, "{}: cannot be read as a device file of at most {} bytes; {}",
      printable(file), kFileMax, advice);
  return fail(Errc::bad_config, "the device file cannot be read; the log says which");
}

}  // namespace

std::vector<DeviceInfo> built_in_devices() {
  RepresentorInfo function;
  function.pci = "0000:b1:00.0";
  function.vuid = "COMCH0PF0";
  DeviceInfo dpu{.name = "comch0",
                 .pci = "0000:03:00.0",
                 .vuid = "COMCH0DPU",
                 .side = Side::kDpu,
                 .kind = FunctionKind::kPf,
                 .capability = capability_of(Side::kDpu),
                 .representors = {function},
                 .rdma = std::nullopt};
  DeviceInfo host{.name = "comch0-host",
                  .pci = function.pci,
                  .vuid = function.vuid,
                  .side = Side::kHost,
                  .kind = FunctionKind::kPf,
                  .capability = capability_of(Side::kHost),
                  .representors = {},
                  .rdma = std::nullopt};
  return {std::move(dpu), std::move(host)};
}

Result<std::vector<DeviceInfo>> parse_devices(std::string_view text, std::string_view file) {
  try {
    Read<std::vector<DeviceInfo>> devices = read_devices(toml::parse(text, file));
    if (!devices) return bad_config(file, devices.error());
    return *std::move(devices);
  } catch (const toml::parse_error& error) {
    return bad_config(file, {error.source().begin.line,
                             fmt::format("this is no TOML: {}", printable(error.description()))});
  }
}

Result<std::vector<DeviceInfo>> load_devices(const char* chosen, const char* standard) {
  if (chosen != nullptr && *chosen != '\0') {
    return load(chosen, "correct COMCH_DEVICES or the file");
  }
  std::error_code ignored;  // A file that cannot even be asked about is not there.
  if (std::filesystem::exists(standard, ignored)) return load(standard, "correct or remove it");
  return built_in_devices();
}

}  // namespace comch
