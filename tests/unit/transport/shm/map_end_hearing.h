// Whether the other side of a channel is told that a memory map of this process has ended.
//
//   EXPECT_TRUE(hears_map_end(channel, 1));    // A consumer of the other side, as it counts them.
//
// Threads: one. Lifetime: what it makes is gone when it returns.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "os/memfd.h"
#include "transport/shm/hub.h"
#include "unit/transport/shm/peer_consumer.h"

namespace comch::test {

inline bool hears_map_end(transport::Channel& channel, std::uint32_t consumer) {
  constexpr std::uint64_t kPage = 4096;
  const auto hub = std::static_pointer_cast<transport::shm::Hub>(channel.fast_path().value());
  PeerConsumer peer(*hub, consumer, wire::Way::kView);
  const os::Fd memory = os::make_sealed_memfd("comch-test", kPage).value();
  const os::Mapping mapping = os::Mapping::map(memory, kPage).value();
  std::optional<transport::MapLife> life(std::in_place, mapping.bytes());
  const transport::shm::SharedMemory shown{
      .life = &*life, .fd = &memory, .offset = 0, .bytes = mapping.bytes()};
  const std::uint32_t number = hub->find(consumer)->number_of(shown).value();
  EXPECT_EQ(peer.next(), wire::FastPacket(wire::Map{.number = number, .offset = 0, .size = kPage}));
  life.reset();
  const auto said = peer.next();
  EXPECT_TRUE(!said || *said == wire::FastPacket(wire::MapEnd{number}));
  return said.has_value();
}

}  // namespace comch::test
