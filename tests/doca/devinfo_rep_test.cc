// doca_devinfo_rep: what a representor's description answers.
#include <doca_dev.h>

#include "doca/described.h"

namespace comch::test {
namespace {

struct DevinfoRepTest : DescribedTest {
  DevinfoRepTest() {
    doca_dev* dev = open("03:00.0");
    uint32_t found = 0;
    EXPECT_EQ(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &found),
              DOCA_SUCCESS);
    EXPECT_EQ(found, 2u);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  }
  ~DevinfoRepTest() override { doca_devinfo_rep_destroy_list(reps); }

  doca_devinfo_rep** reps = nullptr;
};

TEST_F(DevinfoRepTest, TheVuidWantsAllTheRoomThatIsDocumented) {
  char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
  ASSERT_EQ(doca_devinfo_rep_get_vuid(reps[0], vuid, sizeof vuid), DOCA_SUCCESS);
  EXPECT_STREQ(vuid, "PF0");
  EXPECT_EQ(doca_devinfo_rep_get_vuid(reps[0], vuid, sizeof vuid - 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_vuid(reps[0], nullptr, sizeof vuid), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_vuid(nullptr, vuid, sizeof vuid), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DevinfoRepTest, TheAddressIsGivenAndCompared) {
  char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
  uint8_t equal = 99;
  ASSERT_EQ(doca_devinfo_rep_get_pci_addr_str(reps[1], pci), DOCA_SUCCESS);
  EXPECT_STREQ(pci, "0000:b1:00.2");
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps[1], "b1:00.2", &equal), DOCA_SUCCESS);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps[1], "b1:00.0", &equal), DOCA_SUCCESS);
  EXPECT_EQ(equal, 0);
}

TEST_F(DevinfoRepTest, WrongQuestionsAboutTheAddressAreRefused) {
  char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
  uint8_t equal = 99;
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(nullptr, pci), no);
  EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(reps[0], nullptr), no);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(nullptr, "b1:00.0", &equal), no);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps[0], nullptr, &equal), no);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps[0], "b1:00.0", nullptr), no);
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps[0], "PF0", &equal), no);
}

TEST_F(DevinfoRepTest, FunctionTypesAndPlacesAreTheDescriptions) {
  doca_pci_func_type type{};
  uint16_t id = 99;
  EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(reps[0], &type), DOCA_SUCCESS);
  EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_PF);
  EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(reps[1], &type), DOCA_SUCCESS);
  EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_VF);
  EXPECT_EQ(doca_devinfo_rep_get_vhca_id(reps[1], &id), DOCA_SUCCESS);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(nullptr, &type), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(reps[0], nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_vhca_id(nullptr, &id), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_vhca_id(reps[0], nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DevinfoRepTest, SubFunctionsAreCounted) {
  doca_dev* dev = open("03:00.5");
  doca_devinfo_rep** all = nullptr;
  uint32_t found = 0;
  ASSERT_EQ(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &all, &found),
            DOCA_SUCCESS);
  ASSERT_EQ(found, 3u);
  uint32_t index = 99;
  EXPECT_EQ(doca_devinfo_rep_get_sf_index(all[0], &index), DOCA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(doca_devinfo_rep_get_sf_index(all[1], &index), DOCA_SUCCESS);
  EXPECT_EQ(index, 0u);
  ASSERT_EQ(doca_devinfo_rep_get_sf_index(all[2], &index), DOCA_SUCCESS);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(doca_devinfo_rep_get_sf_index(nullptr, &index), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_sf_index(all[1], nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_destroy_list(all), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST_F(DevinfoRepTest, FunctionsAreNumberedByTheirPlacesInTheList) {
  uint32_t index = 99;
  for (uint32_t n : {0U, 1U}) {
    ASSERT_EQ(doca_devinfo_rep_get_host_index(reps[n], &index), DOCA_SUCCESS);
    EXPECT_EQ(index, 0u);
    index = 99;
    ASSERT_EQ(doca_devinfo_rep_get_pf_index(reps[n], &index), DOCA_SUCCESS);
    EXPECT_EQ(index, 0u) << "the second is a function of the first";
    index = 99;
  }
  EXPECT_EQ(doca_devinfo_rep_get_vf_index(reps[0], &index), DOCA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(doca_devinfo_rep_get_vf_index(reps[1], &index), DOCA_SUCCESS);
  EXPECT_EQ(index, 0u);
  EXPECT_EQ(doca_devinfo_rep_get_iface_index(reps[0], &index), DOCA_ERROR_OPERATING_SYSTEM);
  for (const auto get : {doca_devinfo_rep_get_host_index, doca_devinfo_rep_get_pf_index,
                         doca_devinfo_rep_get_vf_index, doca_devinfo_rep_get_iface_index}) {
    EXPECT_EQ(get(nullptr, &index), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(reps[1], nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DevinfoRepTest, NoneIsPluggedInWhileRunningOrHasAnInterface) {
  uint8_t hotplug = 99;
  char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
  EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(reps[0], &hotplug), DOCA_SUCCESS);
  EXPECT_EQ(hotplug, 0);
  EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(nullptr, &hotplug), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(reps[0], nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_iface_name(reps[0], name, sizeof name),
            DOCA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(doca_devinfo_rep_get_iface_name(reps[0], name, sizeof name - 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_iface_name(reps[0], nullptr, sizeof name),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_get_iface_name(nullptr, name, sizeof name), DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
