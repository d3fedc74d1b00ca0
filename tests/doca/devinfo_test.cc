// doca_devinfo: what a device's description answers.
#include <doca_dev.h>

#include "doca/described.h"
#include "doca/description.h"

namespace comch::test {
namespace {

constexpr const char* kDpu = "0000:03:00.0";
constexpr const char* kHost = "0000:b1:00.0";

struct DevinfoTest : DescribedTest {};

TEST_F(DevinfoTest, TheAddressIsGivenInItsLongForm) {
  char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
  ASSERT_EQ(doca_devinfo_get_pci_addr_str(info("03:00.0"), pci), DOCA_SUCCESS);
  EXPECT_STREQ(pci, kDpu);
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(nullptr, pci), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_pci_addr_str(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DevinfoTest, AddressesCompareInBothFormsAndCases) {
  const auto equal = [&](const char* text) {
    uint8_t is_equal = 99;
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info(kHost), text, &is_equal), DOCA_SUCCESS) << text;
    return is_equal;
  };
  EXPECT_EQ(equal("0000:b1:00.0"), 1);
  EXPECT_EQ(equal("b1:00.0"), 1);
  EXPECT_EQ(equal("0000:B1:00.0"), 1);
  EXPECT_EQ(equal("B1:00.0"), 1);
  EXPECT_EQ(equal("b1:00.1"), 0);
  EXPECT_EQ(equal("0001:b1:00.0"), 0);
}

TEST_F(DevinfoTest, ATextThatIsNoAddressIsRefused) {
  uint8_t equal = 99;
  for (const char* text : {"", "b1:00", "b1:00.8", "0000:b1:00.0 ", "g1:00.0", "comch0"}) {
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info(kHost), text, &equal), DOCA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(nullptr, kHost, &equal), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info(kHost), nullptr, &equal), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info(kHost), kHost, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(equal, 99);
}

TEST_F(DevinfoTest, BothNamesAreTheDevicesName) {
  char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
  ASSERT_EQ(doca_devinfo_get_iface_name(info(kDpu), name, DOCA_DEVINFO_IFACE_NAME_SIZE),
            DOCA_SUCCESS);
  EXPECT_STREQ(name, "card0");
  ASSERT_EQ(doca_devinfo_get_ibdev_name(info(kHost), name, DOCA_DEVINFO_IBDEV_NAME_SIZE),
            DOCA_SUCCESS);
  EXPECT_STREQ(name, "host0");
}

TEST_F(DevinfoTest, ANameWantsAllTheRoomThatIsDocumented) {
  char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_devinfo_get_iface_name(info(kDpu), name, DOCA_DEVINFO_IFACE_NAME_SIZE - 1), no);
  EXPECT_EQ(doca_devinfo_get_iface_name(info(kDpu), nullptr, DOCA_DEVINFO_IFACE_NAME_SIZE), no);
  EXPECT_EQ(doca_devinfo_get_iface_name(nullptr, name, DOCA_DEVINFO_IFACE_NAME_SIZE), no);
  EXPECT_EQ(doca_devinfo_get_ibdev_name(info(kDpu), name, DOCA_DEVINFO_IBDEV_NAME_SIZE - 1), no);
  EXPECT_EQ(doca_devinfo_get_ibdev_name(info(kDpu), nullptr, DOCA_DEVINFO_IBDEV_NAME_SIZE), no);
  EXPECT_EQ(doca_devinfo_get_ibdev_name(nullptr, name, DOCA_DEVINFO_IBDEV_NAME_SIZE), no);
}

TEST_F(DevinfoTest, ATextThatDoesNotFitIsNotCut) {
  char room[4] = "abc";
  EXPECT_EQ(doca::give_text("name", room, sizeof room, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(room, "abc");
  EXPECT_EQ(doca::give_text("nam", room, sizeof room, 1), DOCA_SUCCESS);
  EXPECT_STREQ(room, "nam");
}

TEST_F(DevinfoTest, WhatOnlyANetworkCardHasIsRefusedAsDocumented) {
  uint8_t bytes[DOCA_DEVINFO_IPV6_ADDR_SIZE];
  uint16_t lid = 0;
  uint64_t rate = 0;
  const doca_devinfo* device = info(kDpu);
  EXPECT_EQ(doca_devinfo_get_ipv4_addr(device, bytes, 4), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(doca_devinfo_get_ipv6_addr(device, bytes, 16), DOCA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(doca_devinfo_get_mac_addr(device, bytes, 6), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_get_lid(device, &lid), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_get_active_rate(device, &rate), DOCA_ERROR_DRIVER);
}

TEST_F(DevinfoTest, WrongQuestionsAboutANetworkCardAreRefusedFirst) {
  uint8_t bytes[DOCA_DEVINFO_IPV6_ADDR_SIZE];
  uint16_t lid = 0;
  uint64_t rate = 0;
  const doca_devinfo* device = info(kDpu);
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_devinfo_get_ipv4_addr(device, bytes, 3), no);
  EXPECT_EQ(doca_devinfo_get_ipv4_addr(device, nullptr, 4), no);
  EXPECT_EQ(doca_devinfo_get_ipv4_addr(nullptr, bytes, 4), no);
  EXPECT_EQ(doca_devinfo_get_ipv6_addr(device, bytes, 15), no);
  EXPECT_EQ(doca_devinfo_get_ipv6_addr(device, nullptr, 16), no);
  EXPECT_EQ(doca_devinfo_get_ipv6_addr(nullptr, bytes, 16), no);
  EXPECT_EQ(doca_devinfo_get_mac_addr(device, bytes, 5), no);
  EXPECT_EQ(doca_devinfo_get_mac_addr(device, nullptr, 6), no);
  EXPECT_EQ(doca_devinfo_get_mac_addr(nullptr, bytes, 6), no);
  EXPECT_EQ(doca_devinfo_get_lid(device, nullptr), no);
  EXPECT_EQ(doca_devinfo_get_lid(nullptr, &lid), no);
  EXPECT_EQ(doca_devinfo_get_active_rate(device, nullptr), no);
  EXPECT_EQ(doca_devinfo_get_active_rate(nullptr, &rate), no);
}

TEST_F(DevinfoTest, TheVhcaIdIsThePlaceInTheDescription) {
  uint16_t id = 99;
  ASSERT_EQ(doca_devinfo_get_vhca_id(info("b1:00.2"), &id), DOCA_SUCCESS);
  EXPECT_EQ(id, 2);
  EXPECT_EQ(doca_devinfo_get_vhca_id(nullptr, &id), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_vhca_id(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
  const doca_devinfo* gone = info("b1:00.2");
  describe("[[device]]\nname = \"card0\"\npci = \"03:00.0\"\nside = \"dpu\"\n");
  EXPECT_EQ(doca_devinfo_get_vhca_id(gone, &id), DOCA_ERROR_DRIVER);
}

TEST_F(DevinfoTest, FunctionTypesAreTheEngines) {
  const auto type = [&](const char* pci) {
    doca_pci_func_type found{};
    EXPECT_EQ(doca_devinfo_get_pci_func_type(info(pci), &found), DOCA_SUCCESS);
    return found;
  };
  EXPECT_EQ(type("03:00.0"), DOCA_PCI_FUNC_TYPE_PF);
  EXPECT_EQ(type("b1:00.2"), DOCA_PCI_FUNC_TYPE_VF);
  EXPECT_EQ(type("03:00.4"), DOCA_PCI_FUNC_TYPE_SF);
  doca_pci_func_type found{};
  EXPECT_EQ(doca_devinfo_get_pci_func_type(nullptr, &found), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_pci_func_type(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DevinfoTest, SubFunctionsAreCounted) {
  uint32_t index = 99;
  ASSERT_EQ(doca_devinfo_get_sf_index(info("03:00.4"), &index), DOCA_SUCCESS);
  EXPECT_EQ(index, 0u);
  ASSERT_EQ(doca_devinfo_get_sf_index(info("03:00.5"), &index), DOCA_SUCCESS);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(doca_devinfo_get_sf_index(info(kDpu), &index), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_devinfo_get_sf_index(nullptr, &index), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_get_sf_index(info("03:00.4"), nullptr), DOCA_ERROR_INVALID_VALUE);
}

using Capability = doca_error_t (*)(const doca_devinfo*, uint8_t*);

TEST_F(DevinfoTest, NoDeviceManagesOthersOrModeratesOrReclaims) {
  for (const Capability ask : {doca_devinfo_cap_is_hotplug_manager_supported,
                               doca_devinfo_cap_is_notification_moderation_supported,
                               doca_devinfo_cap_is_accelerate_resource_reclaim_supported}) {
    uint8_t answer = 99;
    EXPECT_EQ(ask(info(kDpu), &answer), DOCA_SUCCESS);
    EXPECT_EQ(answer, 0);
    EXPECT_EQ(ask(nullptr, &answer), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(ask(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DevinfoTest, FiltersAreOfTheDpusSideAlone) {
  struct {
    Capability ask;
    uint8_t expected;
  } const cases[] = {{doca_devinfo_rep_cap_is_filter_all_supported, 1},
                     {doca_devinfo_rep_cap_is_filter_net_supported, 1},
                     {doca_devinfo_rep_cap_is_filter_emulated_supported, 0}};
  for (const auto& [ask, expected] : cases) {
    uint8_t answer = 99;
    EXPECT_EQ(ask(info(kHost), &answer), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(ask(info(kDpu), &answer), DOCA_SUCCESS);
    EXPECT_EQ(answer, expected);
    EXPECT_EQ(ask(nullptr, &answer), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(ask(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

}  // namespace
}  // namespace comch::test
