// Lingering: a TCP socket with which a peer keeps whoever closes it last.
//
// Threads: values.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "os/fd.h"

namespace comch::test {

// Whoever closes it last waits for as long as a minute, while the other end reads nothing.
class Lingering {
 public:
  Lingering() {
    const os::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener || !socket) {
      ADD_FAILURE() << "there are no sockets";
      return;
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), generic, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), generic, &size), 0);
    EXPECT_EQ(::connect(socket.get(), generic, size), 0);
    other_end_.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::vector<char> much(65536);
    while (::send(socket.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) continue;
    const linger a_minute{.l_onoff = 1, .l_linger = 60};
    EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &a_minute, sizeof a_minute), 0);
  }

  // From here on a thread that closes it need not wait.
  void let_go() { other_end_.reset(); }

  os::Fd socket;

 private:
  os::Fd other_end_;
};

}  // namespace comch::test
