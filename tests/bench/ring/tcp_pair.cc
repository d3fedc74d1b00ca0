// TcpPair: a listener for one.
#include "bench/ring/tcp_pair.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <system_error>

namespace comch::bench {
namespace {

int need_socket(int result) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), "TCP");
  return result;
}

void send_at_once(int socket) {
  const int yes = 1;
  need_socket(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}

std::array<int, 2> connected() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const int listener = need_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  need_socket(::bind(listener, any, size));
  need_socket(::listen(listener, 1));
  need_socket(::getsockname(listener, any, &size));
  const int client = need_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  need_socket(::connect(client, any, size));
  const int server = need_socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  ::close(listener);
  send_at_once(client);
  send_at_once(server);
  return {client, server};
}

}  // namespace

TcpPair::TcpPair() : ends_(connected()) {}

}  // namespace comch::bench
