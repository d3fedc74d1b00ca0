// PeerMemory: bytes put into another process's memory by the kernel, and what it refuses.
#include "os/peer_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "support/child_process.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr std::size_t kPage = 4096;

std::uint64_t address_of(const void* memory) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory));
}

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t n = 0; n < size; ++n) bytes[n] = static_cast<std::byte>(n * 13 + n / 256);
  return bytes;
}

// Two pages of which the second is nobody's.
struct Edge {
  Edge() {
    memory = static_cast<std::byte*>(
        ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(memory, MAP_FAILED);
    EXPECT_EQ(::mprotect(memory + kPage, kPage, PROT_NONE), 0);
  }
  ~Edge() { ::munmap(memory, 2 * kPage); }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;

  std::byte* memory;
};

// A process may write to itself by this way whatever the rules for others are.
TEST(PeerMemoryTest, PutsEveryByteWhereItWasTold) {
  for (const std::size_t size : {std::size_t{1}, kPage - 1, kPage, 3 * kPage + 7}) {
    const std::vector<std::byte> from = pattern(size);
    std::vector<std::byte> to(size + 2, std::byte{0xa5});
    EXPECT_EQ(write_peer(::getpid(), address_of(to.data() + 1), from).value(), size);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1));
    EXPECT_EQ(to.front(), std::byte{0xa5});
    EXPECT_EQ(to.back(), std::byte{0xa5});
  }
}

TEST(PeerMemoryTest, ReachesAnotherProcessThatAllowsIt) {
  auto* const shared = static_cast<std::byte*>(
      ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  const std::vector<std::byte> text = pattern(100);
  std::array<int, 2> go{};
  ASSERT_EQ(::pipe(go.data()), 0);
  auto child = test::ChildProcess::run([&] {
    char byte = 0;
    if (::read(go[0], &byte, 1) != 1) return 1;
    return std::memcmp(shared, text.data(), text.size()) == 0 ? 0 : 2;
  });
  const Result<std::size_t> written = write_peer(child.pid(), address_of(shared), text);
  EXPECT_EQ(::write(go[1], "g", 1), 1);
  const std::optional<test::Exit> exit = child.wait();
  ::close(go[0]);
  ::close(go[1]);
  EXPECT_EQ(shared[1], std::byte{0}) << "the memory is private: ours is another";
  ::munmap(shared, kPage);
  if (!written && written.error().code == Errc::not_permitted) {
    GTEST_SKIP() << "the kernel lets no process write to its child here (ptrace rules)";
  }
  ASSERT_EQ(written.value(), text.size());
  EXPECT_EQ(exit, test::Exit::with(0));
}

TEST(PeerMemoryTest, SaysHowManyBytesWentBeforeTheMemoryEnds) {
  const Edge edge;
  const std::vector<std::byte> from = pattern(2 * kPage);
  const std::size_t room = 100;
  std::byte* const at = edge.memory + kPage - room;
  EXPECT_EQ(write_peer(::getpid(), address_of(at), from).value(), room);
  EXPECT_TRUE(std::equal(at, at + room, from.begin()));
}

TEST(PeerMemoryTest, AnAddressThatIsNotItsMemoryIsRefused) {
  const Edge edge;
  const std::vector<std::byte> from = pattern(16);
  const auto refused = [&](std::uint64_t address) {
    const Result<std::size_t> written = write_peer(::getpid(), address, from);
    return written ? Errc::skipped : written.error().code;
  };
  EXPECT_EQ(refused(address_of(edge.memory + kPage)), Errc::invalid_value);
  EXPECT_EQ(refused(0), Errc::invalid_value);
  EXPECT_EQ(refused(~std::uint64_t{0} - 8), Errc::invalid_value) << "the sum wraps";
}

TEST(PeerMemoryTest, AProcessThatIsGoneIsALostPeer) {
  auto child = test::ChildProcess::run([] { return 0; });
  const pid_t pid = child.pid();
  ASSERT_EQ(child.wait(), test::Exit::with(0));
  const std::array<std::byte, 1> from{};
  EXPECT_EQ(write_peer(pid, address_of(from.data()), from).error().code, Errc::connection_reset);
}

TEST(PeerMemoryTest, OnlyAProcessOfOurUserIsWritten) {
  EXPECT_EQ(writable_peer(::geteuid(), 4711), 4711);
  EXPECT_EQ(writable_peer(::geteuid() + 1, 4711), 0);
  const std::array<std::byte, 1> from{};
  EXPECT_EQ(write_peer(0, address_of(from.data()), from).error().code, Errc::not_permitted);
}

TEST(PeerMemoryTest, NoBytesAreNoErrorOfTheKernels) {
  errno = EPERM;  // Of whatever came before.
  EXPECT_EQ(write_peer(::getpid(), 0, {}).error().code, Errc::invalid_value);
}

TEST(PeerMemoryTest, WhatTheKernelRefusesIsToldApart) {
  const std::array<std::byte, 1> from{};
  std::array<std::byte, 1> to{};
  for (const auto& [sys, code] :
       {std::pair{EPERM, Errc::not_permitted}, std::pair{ESRCH, Errc::connection_reset},
        std::pair{EFAULT, Errc::invalid_value}, std::pair{ENOMEM, Errc::operating_system}}) {
    const test::RiggedSyscalls rig({.nth = 1, .sys = sys});
    const Result<std::size_t> written = write_peer(::getpid(), address_of(to.data()), from);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, code) << sys;
    EXPECT_EQ(written.error().sys, sys);
  }
  const test::RiggedSyscalls rig({.nth = 1, .sys = EINTR});
  EXPECT_EQ(write_peer(::getpid(), address_of(to.data()), from).value(), 1U) << "interrupted once";
}

}  // namespace
}  // namespace comch::os
