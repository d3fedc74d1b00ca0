// NO_MEMORY of every function of the C API that makes something.
#include "doca/no_memory.h"

#include <doca_argp.h>
#include <doca_buf_pool.h>
#include <doca_comch_msgq.h>
#include <doca_comm_channel.h>
#include <doca_dpa.h>

#include <string>

#include "doca/endpoints.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct NoMemoryTest : FastTest {
  const TempDir files;
  Memory memory{server.device};
};

TEST_F(NoMemoryTest, DevicesAndTheirLists) {
  doca_devinfo** devices = nullptr;
  doca_devinfo_rep** representors = nullptr;
  std::uint32_t count = 0;
  sweep(
      "doca_devinfo_create_list", [&] { return doca_devinfo_create_list(&devices, &count); },
      [&] { doca_devinfo_destroy_list(devices); });
  sweep(
      "doca_devinfo_rep_create_list",
      [&] {
        return doca_devinfo_rep_create_list(server.device, DOCA_DEVINFO_REP_FILTER_ALL,
                                            &representors, &count);
      },
      [&] { doca_devinfo_rep_destroy_list(representors); });
  sweep<doca_dev>(
      "doca_dev_open", [&](auto** made) { return doca_dev_open(server.device.info(), made); },
      doca_dev_close);
  sweep<doca_dev_rep>(
      "doca_dev_rep_open",
      [&](auto** made) {
        return doca_dev_rep_open(doca_dev_rep_as_devinfo(server.representor), made);
      },
      doca_dev_rep_close);
}

TEST_F(NoMemoryTest, MemoryAndBuffers) {
  sweep<doca_mmap>("doca_mmap_create", doca_mmap_create, doca_mmap_destroy);
  sweep<doca_buf_inventory>(
      "doca_buf_inventory_create", [](auto** made) { return doca_buf_inventory_create(8, made); },
      doca_buf_inventory_destroy);
  sweep<doca_buf_pool>(
      "doca_buf_pool_create",
      [&](auto** made) { return doca_buf_pool_create(8, 64, memory.map(), made); },
      doca_buf_pool_destroy);
}

TEST_F(NoMemoryTest, EnginesServersClientsAndTheirEnds) {
  sweep<doca_pe>("doca_pe_create", doca_pe_create, doca_pe_destroy);
  sweep<doca_comch_server>(
      "doca_comch_server_create",
      [&](auto** made) {
        return doca_comch_server_create(server.device, server.representor, "another", made);
      },
      doca_comch_server_destroy);
  sweep<doca_comch_client>(
      "doca_comch_client_create",
      [&](auto** made) { return doca_comch_client_create(client.device, "another", made); },
      doca_comch_client_destroy);
  sweep<doca_comch_consumer>(
      "doca_comch_consumer_create",
      [&](auto** made) { return doca_comch_consumer_create(server_side(), memory.map(), made); },
      doca_comch_consumer_destroy);
  sweep<doca_comch_producer>(
      "doca_comch_producer_create",
      [&](auto** made) { return doca_comch_producer_create(client_side(), made); },
      doca_comch_producer_destroy);
  sweep<doca_comm_channel_ep_t>("doca_comm_channel_ep_create", doca_comm_channel_ep_create,
                                doca_comm_channel_ep_destroy);
  Endpoint service(server.device, server.representor);
  Endpoint guest(client.device);
  sweep(
      "doca_comm_channel_ep_listen",
      [&] { return doca_comm_channel_ep_listen(service, "service"); }, [] {});
  sweep("doca_comm_channel_ep_connect", [&] { return guest.connect("service"); }, [] {});
  sweep<doca_comch_msgq>(
      "doca_comch_msgq_create",
      [&](auto** made) { return doca_comch_msgq_create(server.device, made); },
      doca_comch_msgq_destroy);
}

TEST_F(NoMemoryTest, AnAcceleratorAndWhatIsMadeOnIt) {
  sweep<doca_dpa>(
      "doca_dpa_create", [&](auto** made) { return doca_dpa_create(server.device, made); },
      doca_dpa_destroy);
  doca_dpa* dpa = nullptr;
  doca_dpa_thread* thread = nullptr;
  ASSERT_EQ(doca_dpa_create(server.device, &dpa), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_start(dpa), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_create(dpa, &thread), DOCA_SUCCESS);
  sweep<doca_dpa>(
      "doca_dpa_device_extend",
      [&](auto** made) { return doca_dpa_device_extend(dpa, client.device, made); },
      doca_dpa_destroy);
  sweep<doca_dpa_thread>(
      "doca_dpa_thread_create", [&](auto** made) { return doca_dpa_thread_create(dpa, made); },
      doca_dpa_thread_destroy);
  sweep<doca_dpa_completion>(
      "doca_dpa_completion_create",
      [&](auto** made) { return doca_dpa_completion_create(dpa, 4, made); },
      doca_dpa_completion_destroy);
  sweep<doca_dpa_notification_completion>(
      "doca_dpa_notification_completion_create",
      [&](auto** made) { return doca_dpa_notification_completion_create(dpa, thread, made); },
      doca_dpa_notification_completion_destroy);
  sweep<doca_dpa_async_ops>(
      "doca_dpa_async_ops_create",
      [&](auto** made) { return doca_dpa_async_ops_create(dpa, 4, 0, made); },
      doca_dpa_async_ops_destroy);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
  const std::string path = files / "a log of an accelerator";
  sweep(
      "doca_dpa_log_file_set_path", [&] { return doca_dpa_log_file_set_path(dpa, path.c_str()); },
      [] {});
  EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS);
}

TEST_F(NoMemoryTest, TheParserItsParametersAndCommands) {
  const std::string name(100, 'n');
  sweep(
      "doca_argp_init", [&] { return doca_argp_init(name.c_str(), nullptr); },
      [] { EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS); });
  ASSERT_EQ(doca_argp_init("tool", nullptr), DOCA_SUCCESS);
  sweep<doca_argp_param>("doca_argp_param_create", doca_argp_param_create, doca_argp_param_destroy);
  sweep<doca_argp_cmd>("doca_argp_cmd_create", doca_argp_cmd_create, doca_argp_cmd_destroy);
  EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
