// Fifo: first in, first out, around and around.
#include "transport/rdma/fifo.h"

#include <gtest/gtest.h>

namespace comch::transport::rdma {
namespace {

TEST(RdmaFifoTest, WhatGoesInFirstComesOutFirst) {
  Fifo<int> fifo(3);
  EXPECT_TRUE(fifo.empty());
  for (int n = 0; n < 10; ++n) {
    fifo.push(n);
    fifo.push(n + 100);
    EXPECT_EQ(fifo.size(), 2U);
    EXPECT_EQ(fifo.front(), n);
    EXPECT_EQ(fifo.pop(), n);
    EXPECT_EQ(fifo.pop(), n + 100);
  }
  EXPECT_TRUE(fifo.empty());
}

TEST(RdmaFifoTest, ItHoldsItsWholeCapacity) {
  Fifo<int> fifo(2);
  fifo.push(1);
  fifo.push(2);
  EXPECT_EQ(fifo.pop(), 1);
  fifo.push(3);
  EXPECT_EQ(fifo.pop(), 2);
  EXPECT_EQ(fifo.pop(), 3);
}

}  // namespace
}  // namespace comch::transport::rdma
