// doca_comch_cap: the limits of a device and its role.
#include <doca_comch.h>
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "comch/log.h"
#include "doca/control_parties.h"

namespace comch::test {
namespace {

using Limit = doca_error_t (*)(const doca_devinfo*, uint32_t*);
constexpr std::array<Limit, 5> kLimits{
    doca_comch_cap_get_max_name_len, doca_comch_cap_get_max_msg_size,
    doca_comch_cap_get_max_recv_queue_size, doca_comch_cap_get_max_clients,
    doca_comch_cap_get_max_send_tasks};

TEST(ComchCapTest, NullIsRefused) {
  const OpenDevice device(kDpuPci);
  uint32_t value = 7;
  for (const Limit limit : kLimits) {
    EXPECT_EQ(limit(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(limit(device.info(), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(doca_comch_cap_server_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_cap_client_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST(ComchCapTest, LimitsAreAtLeastWhatKnownProgramsAskFor) {
  // Names with their NUL, messages, receive queue, clients, send tasks.
  constexpr std::array<uint32_t, 5> kWanted{120, 4080, 8192, 512, 1024};
  for (const char* pci : {kDpuPci, kHostPci}) {
    const OpenDevice device(pci);
    for (std::size_t n = 0; n < kLimits.size(); ++n) {
      uint32_t value = 0;
      EXPECT_EQ(kLimits[n](device.info(), &value), DOCA_SUCCESS);
      EXPECT_GE(value, kWanted[n]);
    }
  }
}

TEST(ComchCapTest, ServersAreOnTheDpuAndClientsOnTheHost) {
  const OpenDevice dpu(kDpuPci);
  const OpenDevice host(kHostPci);
  int lines = 0;
  set_log_sink([&lines](LogLevel, std::string_view) { ++lines; });
  EXPECT_EQ(doca_comch_cap_server_is_supported(dpu.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_cap_client_is_supported(dpu.info()), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_cap_server_is_supported(host.info()), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_cap_client_is_supported(host.info()), DOCA_SUCCESS);
  set_log_sink({});
  EXPECT_EQ(lines, 0) << "no is an answer, too";
}

}  // namespace
}  // namespace comch::test
