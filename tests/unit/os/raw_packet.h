// RawPacket: a packet with descriptors that send() would refuse to send.
//
// Threads: any.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace comch::test {

inline void send_raw(const os::Fd& through, std::string_view text, std::span<const int> fds) {
  std::vector<std::byte> control(CMSG_SPACE(fds.size_bytes()));
  iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  ASSERT_GE(::sendmsg(through.get(), &message, MSG_NOSIGNAL), 0);
}

}  // namespace comch::test
