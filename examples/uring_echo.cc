// uring_echo: sends back what comes by comch and what comes by TCP, from one io_uring loop.
//
//   uring_echo --name echo --port 7777 --clients 0
//
// Try it with `ping_client --name echo` and `nc 127.0.0.1 7777`. Messages of comch's clients are
// received and sent through a Ring that has joined the loop's own io_uring; the sockets are that
// io_uring's, as in any server. One wait ends for all of them. Port 0 is any, and is printed. The
// program ends when --clients of both kinds together have come and gone; 0: never. While there are
// no descriptors for more of them, it says so once, and those it has are served.
#include <arpa/inet.h>
#include <comch/comch.h>
#include <comch/uring/ring.h>
#include <liburing.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "options.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

constexpr std::size_t kMessageSize = 4080;  // What clients of comch have when they say nothing.

// The sockets: every one of them either receives or sends.
class TcpEcho {
 public:
  // Those of the io_uring that the Ring waits in.
  TcpEcho(uring::Ring& ring, int& served) : ring_(ring), kernel_(*ring.kernel()), served_(served) {}
  // The kernel reads and writes the memory of a socket until what it does there is complete.
  ~TcpEcho() {
    ending_ = true;
    for (const auto& [fd, socket] : sockets_) ::shutdown(fd, SHUT_RDWR);
    while (!sockets_.empty()) {
      io_uring_submit_and_wait(&kernel_, 1);
      take_completions();
    }
    ::close(listener_);
  }
  TcpEcho(const TcpEcho&) = delete;
  TcpEcho& operator=(const TcpEcho&) = delete;

  // The port it listens on, or 0: see errno.
  std::uint16_t listen(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    // The port may be listened on again while connections of the last run end.
    const int yes = 1;
    std::ignore = ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, any, &size) != 0) {
      return 0;
    }
    accept();
    return ntohs(address.sin_port);
  }

  void take_completions() {
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(&kernel_, &completion) == 0) {
      // The ring's own wake-ups come this way, too.
      if (!ring_.claim(*completion)) on_completion(*completion);
      io_uring_cqe_seen(&kernel_, completion);
    }
  }

 private:
  // Whose completion: else it is a socket's descriptor.
  static constexpr std::uint64_t kAccept = ~std::uint64_t{0};
  static constexpr std::uint64_t kPause = kAccept - 1;
  struct Socket {
    int fd;
    bool receiving = false;
    std::array<char, 4096> text{};
  };

  void on_completion(const io_uring_cqe& completion) {
    if (completion.user_data == kAccept) return on_accepted(completion.res);
    if (completion.user_data == kPause) return accept();
    Socket& socket = sockets_.at(static_cast<int>(completion.user_data));
    if (completion.res <= 0) {
      ++served_;
      ::close(socket.fd);
      sockets_.erase(socket.fd);
    } else if (socket.receiving) {
      send(socket, static_cast<std::size_t>(completion.res));
    } else {
      receive(socket);
    }
  }
  void on_accepted(int fd) {
    if (ending_) {
      if (fd >= 0) ::close(fd);
      return;
    }
    if (fd < 0) return pause(-fd);
    paused_ = false;
    receive(sockets_.try_emplace(fd, Socket{.fd = fd}).first->second);
    accept();
  }
  // What is the matter, such as that there are no descriptors, is so at once again.
  void pause(int error) {
    if (!std::exchange(paused_, true)) {
      std::cerr << "uring_echo: no connection can be accepted for now: " << std::strerror(error)
                << std::endl;
    }
    io_uring_sqe* const sqe = next();
    io_uring_prep_timeout(sqe, &pause_, 0, 0);
    sqe->user_data = kPause;
  }
  void accept() {
    io_uring_sqe* const sqe = next();
    io_uring_prep_accept(sqe, listener_, nullptr, nullptr, SOCK_CLOEXEC);
    sqe->user_data = kAccept;
  }
  void receive(Socket& socket) {
    socket.receiving = true;
    io_uring_sqe* const sqe = next();
    io_uring_prep_recv(sqe, socket.fd, socket.text.data(), socket.text.size(), 0);
    sqe->user_data = static_cast<std::uint64_t>(socket.fd);
  }
  void send(Socket& socket, std::size_t length) {
    socket.receiving = false;
    io_uring_sqe* const sqe = next();
    io_uring_prep_send(sqe, socket.fd, socket.text.data(), length, MSG_WAITALL | MSG_NOSIGNAL);
    sqe->user_data = static_cast<std::uint64_t>(socket.fd);
  }
  io_uring_sqe* next() {
    io_uring_sqe* sqe = io_uring_get_sqe(&kernel_);
    if (sqe != nullptr) return sqe;
    io_uring_submit(&kernel_);
    return io_uring_get_sqe(&kernel_);
  }

  uring::Ring& ring_;
  io_uring& kernel_;
  int& served_;
  const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::map<int, Socket> sockets_;  // By descriptor.
  bool paused_ = false;            // Until one is accepted again.
  bool ending_ = false;
  __kernel_timespec pause_{.tv_sec = 0, .tv_nsec = 100'000'000};  // Picked, not tuned.
};

// The clients of comch: each has one message, which is received or sent. Operations say whose
// they are by the connection's id, which is never used again: what completes after a client's
// end is nobody's.
class ComchEcho {
 public:
  ComchEcho(uring::Ring& ring, int& served) : ring_(ring), served_(served) {}

  comch::Status start(comch::ProgressEngine& engine, comch::Server& server) {
    const auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    const auto deliver = [this](comch::Connection& from, std::span<const std::byte> message) {
      return ring_.on_message(from, message);
    };
    const auto came = [this](comch::Connection& client, bool successful) {
      if (successful) add(client);
    };
    const auto left = [this](comch::Connection& client, bool) { remove(client); };
    if (auto s = server.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = server.on_message(deliver); !s) return s;
    if (auto s = server.on_connection(came, left); !s) return s;
    if (auto s = engine.connect(server); !s) return s;
    if (auto s = server.start(); !s) return std::unexpected(s.error());
    return {};
  }

  void on_completion(const uring::Completion& completion) {
    const auto it = clients_.find(completion.user_data);
    if (it == clients_.end() || completion.res < 0) return;
    Client& client = it->second;
    client.receiving = !client.receiving;
    uring::Submission& s = next(it->first);
    if (client.receiving) {
      s.prep_ctrl_recv(*client.control, client.message);
    } else {
      const auto length = static_cast<std::size_t>(completion.res);
      s.prep_ctrl_send(*client.control, std::span(client.message).first(length));
    }
  }

 private:
  struct Client {
    uring::Control* control;
    bool receiving = true;
    std::array<std::byte, kMessageSize> message{};
  };

  void add(comch::Connection& connection) {
    const auto control = ring_.register_control(connection);
    if (!control) return;
    const auto id = static_cast<std::uint64_t>(connection.id());
    Client& client = clients_.try_emplace(id, Client{.control = *control}).first->second;
    next(id).prep_ctrl_recv(*client.control, client.message);
    std::ignore = ring_.submit();
  }
  void remove(const comch::Connection& connection) {
    const auto it = clients_.find(static_cast<std::uint64_t>(connection.id()));
    if (it == clients_.end()) return;
    ++served_;
    std::ignore = ring_.unregister(*it->second.control);
    clients_.erase(it);
  }
  // A client has one operation at a time, and there are places for all clients of a server.
  uring::Submission& next(std::uint64_t id) {
    uring::Submission* s = ring_.get();
    if (s == nullptr) {
      std::ignore = ring_.submit();
      s = ring_.get();
    }
    s->user_data = id;
    return *s;
  }

  uring::Ring& ring_;
  int& served_;
  std::map<std::uint64_t, Client> clients_;  // By connection.
};

int fail(const comch::Error& error) {
  std::cerr << "uring_echo: " << comch::describe(error) << '\n';
  return 1;
}

int run(io_uring& kernel, const Options& options) {
  const auto device = comch::Device::open_first(comch::Side::kDpu);
  if (!device) return fail(device.error());
  const auto representor = comch::Representor::open_first(*device);
  if (!representor) return fail(representor.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto server = comch::Server::create(*device, *representor, options.text("--name", "echo"));
  if (!server) return fail(server.error());
  auto ring = uring::Ring::create(**engine, {.entries = 1024, .join = &kernel});
  if (!ring) return fail(ring.error());

  int served = 0;
  const int enough = options.number("--clients", 0);
  TcpEcho tcp(**ring, served);
  const int wanted = options.number("--port", 7777);
  if (wanted < 0 || wanted > 65535) return fail({comch::Errc::invalid_value, 0, "no such port"});
  const std::uint16_t port = tcp.listen(static_cast<std::uint16_t>(wanted));
  if (port == 0) return fail({comch::Errc::operating_system, errno, "the port is not to be had"});
  ComchEcho messages(**ring, served);
  if (auto s = messages.start(**engine, **server); !s) return fail(s.error());
  std::cout << "listening on port " << port << std::endl;

  while (enough == 0 || served < enough) {
    const auto ready = (*ring)->submit_and_wait(1, 1s);
    if (!ready && ready.error().code != comch::Errc::time_out) return fail(ready.error());
    (*ring)->advance((*ring)->for_each([&](const auto& c) { messages.on_completion(c); }));
    tcp.take_completions();
  }
  std::cout << "served " << served << " clients\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--name", "--port", "--clients"});
  io_uring kernel{};
  if (const int error = io_uring_queue_init(256, &kernel, 0); error < 0) {
    return fail({comch::Errc::operating_system, -error, "there is no io_uring"});
  }
  const int status = run(kernel, options);
  io_uring_queue_exit(&kernel);
  return status;
}
