// Copies that device functions make, and what they write to the log: every number at its limits.
#include <array>
#include <cstring>

#include "doca/bad_input/any_enum.h"
#include "doca/bad_input/ruined_device.h"

namespace comch::test {
namespace {

// What a copy is given; the number of a row replaces one of these.
struct Order {
  doca_dpa_dev_mmap_t to;
  std::uint64_t to_address;
  doca_dpa_dev_mmap_t from;
  std::uint64_t from_address;
  std::uint64_t length = 8;
};
Order order(const MapThere& from, const MapThere& to) {
  return {to.handle, to.address(), from.handle, from.address()};
}

struct Names {
  const char* function;
  const char* to = "dst_mmap";
  const char* from = "src_mmap";
};
using Copy = std::function<void(Device&, const Order&)>;
using Change = std::function<void(Order&, std::uint64_t)>;

// Maps are told apart by their numbers, so that the one that is the most is the last.
void try_copies(const Names& names, const Copy& copy) {
  const MapThere first;
  const MapThere last;
  const auto row = [&](const char* argument, const Bounds& bounds, const Order& from,
                       const Change& change) {
    try_number(names.function, argument, bounds, [&](auto n) {
      Device device;
      Order changed = from;
      change(changed, n);
      return device.call([&] { copy(device, changed); });
    });
  };
  const auto place = [](const MapThere& in) {
    return Bounds{.zero = kRuined, .most = in.address() + kSize - 8, .above = kRuined};
  };
  const Bounds handles{.zero = kRuined, .most = last.handle, .above = kRuined};
  row("length", {.most = kSize, .above = kRuined}, order(first, last),
      [](Order& o, auto n) { o.length = n; });
  row("dst_addr", place(last), order(first, last), [](Order& o, auto n) { o.to_address = n; });
  row("src_addr", place(first), order(first, last), [](Order& o, auto n) { o.from_address = n; });
  row(names.to, handles, order(first, last), [](Order& o, auto n) { o.to = u32(n); });
  row(names.from, handles, order(last, first), [](Order& o, auto n) { o.from = u32(n); });
  std::memset(first.memory.at(0), 's', kSize);
  std::memset(last.memory.at(0), 't', kSize);
  Device device;
  EXPECT_EQ(device.call([&] { copy(device, order(first, last)); }), kYes);
  EXPECT_EQ(std::string(last.memory.at(0), 9), "sssssssst");
}

TEST(DeviceCopyNumbers, PlacesAndLengths) {
  try_copies({.function = "doca_dpa_dev_comch_producer_dma_copy"}, [](Device& d, const Order& o) {
    doca_dpa_dev_comch_producer_dma_copy(d.handles.producer, kCpu, o.to, o.to_address, o.from,
                                         o.from_address, o.length, nullptr, 0, 0);
  });
  try_copies(
      {.function = "doca_dpa_dev_post_memcpy", .to = "dst_mmap_handle", .from = "src_mmap_handle"},
      [](Device& d, const Order& o) {
        doca_dpa_dev_post_memcpy(d.copies, o.to, o.to_address, o.from, o.from_address, o.length, 0);
      });
}

TEST(DeviceCopyNumbers, MessagesBehindCopies) {
  static constexpr std::array<std::uint8_t, 32> kBytes{};
  const MapThere from;
  const MapThere to;
  const auto row = [&](const char* argument, const Bounds& bounds, auto call) {
    try_number("doca_dpa_dev_comch_producer_dma_copy", argument, bounds, [&](auto n) {
      Device d;
      return d.call_and_hear([&] { call(d.handles.producer, order(from, to), u32(n)); });
    });
  };
  row("imm_length", {.most = kBytes.size(), .above = kRuined},
      [](auto producer, const Order& o, auto n) {
        doca_dpa_dev_comch_producer_dma_copy(producer, kCpu, o.to, o.to_address, o.from,
                                             o.from_address, o.length, kBytes.data(), n, 0);
      });
  row("consumer_id", {.zero = Device::kUnheard, .most = kCpu, .above = Device::kUnheard},
      [](auto producer, const Order& o, auto n) {
        doca_dpa_dev_comch_producer_dma_copy(producer, n, o.to, o.to_address, o.from,
                                             o.from_address, o.length, kBytes.data(), 1, 0);
      });
  row("flags", {}, [](auto producer, const Order& o, auto n) {
    doca_dpa_dev_comch_producer_dma_copy(producer, kCpu, o.to, o.to_address, o.from, o.from_address,
                                         o.length, kBytes.data(), 1, n);
  });
}

TEST(DeviceCopyNumbers, FlagsAndPointers) {
  const MapThere from;
  const MapThere to;
  try_on_device("doca_dpa_dev_post_memcpy", "flags", {}, [&](Device& d, auto n) {
    doca_dpa_dev_post_memcpy(d.copies, to.handle, to.address(), from.handle, from.address(), 1,
                             u32(n));
  });
  try_on_device("doca_dpa_dev_post_buf_memcpy", "flags", {}, [&](Device& d, auto n) {
    doca_dpa_dev_buf to_buf{to.address(), 1, to.handle, {}};
    doca_dpa_dev_buf from_buf{from.address(), 1, from.handle, {}};
    doca_dpa_dev_post_buf_memcpy(d.copies, reinterpret_cast<std::uint64_t>(&to_buf),
                                 reinterpret_cast<std::uint64_t>(&from_buf), u32(n));
  });
  // Nothing is ruined by a pointer that there is not.
  const auto pointer = [](const char* argument, const Bounds& bounds, auto at) {
    try_number("doca_dpa_dev_mmap_get_external_ptr", argument, bounds, [=](auto n) {
      Device d;
      std::uint64_t found = 0;
      EXPECT_EQ(d.call([&] { found = at(n); }), kYes);
      return found != 0 ? kYes : kNo;
    });
  };
  pointer("mmap_handle", {.zero = kNo, .most = to.handle},
          [&](auto n) { return doca_dpa_dev_mmap_get_external_ptr(u32(n), to.address()); });
  pointer("addr", {.zero = kNo, .most = to.address() + kSize - 1},
          [&](auto n) { return doca_dpa_dev_mmap_get_external_ptr(to.handle, n); });
}

// Any number may be traced, and a line is written if its level is one that is.
TEST(DeviceLogNumbers, LevelsAndTraces) {
  try_on_device("doca_dpa_dev_log", "log_level", {},
                [](Device&, auto n) { log_from_device_number(u32(n)); });
  for (std::size_t which = 0; which < 5; ++which) {
    const std::string argument = "arg" + std::to_string(which + 1);
    try_on_device("doca_dpa_dev_trace", argument.c_str(), {}, [=](Device&, auto n) {
      std::array<std::uint64_t, 5> traced{};
      traced.at(which) = n;
      doca_dpa_dev_trace(traced[0], traced[1], traced[2], traced[3], traced[4]);
    });
  }
}

}  // namespace
}  // namespace comch::test
