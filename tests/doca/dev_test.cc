// doca_dev and doca_dev_rep: lists, and handles that close in any order.
#include "doca/dev.h"

#include <doca_dev.h>

#include <memory>

#include "doca/described.h"

namespace comch::test {
namespace {

constexpr const char* kDpu = "0000:03:00.0";
constexpr const char* kHost = "0000:b1:00.0";

struct DevTest : DescribedTest {};

TEST_F(DevTest, TheListHasEveryDeviceInTheOrderOfTheFile) {
  ASSERT_EQ(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
  ASSERT_EQ(count, 5u);
  char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
  ASSERT_EQ(doca_devinfo_get_ibdev_name(list[4], name, sizeof name), DOCA_SUCCESS);
  EXPECT_STREQ(name, "sub1");
}

TEST_F(DevTest, WithoutAFileThereAreTheBuiltInDevices) {
  setenv("COMCH_DEVICES", "", 1);
  EXPECT_NE(info(kDpu), nullptr);
  EXPECT_NE(info(kHost), nullptr);
  EXPECT_EQ(count, 2u);
}

TEST_F(DevTest, AFileThatIsWrongMeansThatThereAreNoDevices) {
  describe("[[device]]\nname = 3\n");
  EXPECT_EQ(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(list, nullptr);
}

TEST_F(DevTest, NullIsRefused) {
  doca_dev* dev = open(kDpu);
  doca_devinfo_rep** reps = nullptr;
  doca_dev_rep* rep = nullptr;
  EXPECT_EQ(doca_devinfo_create_list(nullptr, &count), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_create_list(&list, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_create_list(nullptr, 0, &reps, &count), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_create_list(dev, 0, nullptr, &count), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_create_list(dev, 0, &reps, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_devinfo_rep_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_open(nullptr, &dev), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_open(info(kDpu), nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_close(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_accelerate_resource_reclaim(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_rep_open(nullptr, &rep), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_rep_close(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dev_as_devinfo(nullptr), nullptr);
  EXPECT_EQ(doca_dev_rep_as_devinfo(nullptr), nullptr);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST_F(DevTest, RepresentorsAreListedByFilter) {
  doca_dev* dev = open(kDpu);
  struct {
    int filter;
    uint32_t expected;
  } const cases[] = {{DOCA_DEVINFO_REP_FILTER_ALL, 2},
                     {DOCA_DEVINFO_REP_FILTER_NET, 2},
                     {DOCA_DEVINFO_REP_FILTER_EMULATED, 0},
                     {DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED, 2}};
  for (const auto& [filter, expected] : cases) {
    doca_devinfo_rep** reps = nullptr;
    uint32_t found = 99;
    ASSERT_EQ(doca_devinfo_rep_create_list(dev, filter, &reps, &found), DOCA_SUCCESS) << filter;
    EXPECT_EQ(found, expected) << filter;
    EXPECT_EQ(doca_devinfo_rep_destroy_list(reps), DOCA_SUCCESS);
  }
  doca_devinfo_rep** reps = nullptr;
  for (const int unknown : {1, 8, -1}) {
    EXPECT_EQ(doca_devinfo_rep_create_list(dev, unknown, &reps, &count), DOCA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST_F(DevTest, ADeviceOfTheHostsSideHasNoRepresentors) {
  doca_dev* dev = open(kHost);
  doca_devinfo_rep** reps = nullptr;
  EXPECT_EQ(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &count),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST_F(DevTest, NothingIsReclaimedLate) {
  doca_dev* dev = open(kDpu);
  EXPECT_EQ(doca_dev_accelerate_resource_reclaim(dev), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST_F(DevTest, ADeviceOpensManyTimesAndOutlivesItsList) {
  doca_dev* first = open(kDpu);
  doca_dev* second = open(kDpu);
  EXPECT_NE(first, second);
  EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
  list = nullptr;
  EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
  char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
  ASSERT_EQ(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(second), pci), DOCA_SUCCESS);
  EXPECT_STREQ(pci, kDpu);
  EXPECT_EQ(doca_dev_close(second), DOCA_SUCCESS);
}

TEST_F(DevTest, ARepresentorOutlivesItsDevicesHandle) {
  doca_dev* dev = open(kDpu);
  doca_devinfo_rep** reps = nullptr;
  doca_dev_rep* rep = nullptr;
  ASSERT_EQ(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &count),
            DOCA_SUCCESS);
  ASSERT_EQ(doca_dev_rep_open(reps[1], &rep), DOCA_SUCCESS);
  EXPECT_EQ(doca_devinfo_rep_destroy_list(reps), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  uint8_t equal = 0;
  EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(doca_dev_rep_as_devinfo(rep), "b1:00.2", &equal),
            DOCA_SUCCESS);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(doca_dev_rep_close(rep), DOCA_SUCCESS);
}

TEST_F(DevTest, WhatHoldsAHandleKeepsItAfterItsClose) {
  doca_dev* dev = open(kDpu);
  std::weak_ptr<Device> device = dev->device;
  {
    const doca::Hold<doca_dev> hold(dev);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    EXPECT_FALSE(device.expired());
    EXPECT_EQ(hold.get(), dev);
  }
  EXPECT_TRUE(device.expired());
}

}  // namespace
}  // namespace comch::test
