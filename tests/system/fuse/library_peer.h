// LibraryServer and LibraryClient: programs that use the library, as peers of the tree.
//
//   LibraryServer server("echo");                 // sends every message back
//   ASSERT_TRUE(server.is_ready());
//
//   LibraryClient client("echo", {.sends = {"hello"}});
//   ASSERT_TRUE(client.is_ready());               // connected, and has sent
//
// Each lives in a process of its own, so that it can be killed, stopped, and be another
// user. What a client is sent it sends back once more when it was told to.
//
// Threads: fork; make them before the test starts threads.
// Lifetime: the process ends with the object; a server says good-bye, so that nothing of it
// stays in the runtime directory, and a client is killed.
#pragma once

#include <comch/comch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace comch::test {

class LibraryServer {
 public:
  struct Options {
    AccessList access = {};
    std::uint32_t uid = 0;  // Who runs it, when it is not root.
  };
  explicit LibraryServer(const std::string& name) : LibraryServer(name, Options()) {}
  LibraryServer(const std::string& name, const Options& options);
  ~LibraryServer();

  bool is_ready() const { return ready_.wait(); }
  ChildProcess& process() { return process_; }
  const ChildProcess& process() const { return process_; }

 private:
  Gate ready_;
  ChildProcess process_;
};

class LibraryClient {
 public:
  struct Options {
    std::vector<std::string> sends = {};
    bool echoes = false;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
  };
  explicit LibraryClient(const std::string& server) : LibraryClient(server, Options()) {}
  LibraryClient(const std::string& server, const Options& options);

  bool is_ready() const { return ready_.wait(); }
  // How it ended: by itself only when it is not let in, with kRefused, or kNotFound.
  static constexpr int kRefused = 3;
  static constexpr int kNotFound = 4;
  static constexpr int kFailed = 5;
  ChildProcess& process() { return process_; }
  const ChildProcess& process() const { return process_; }

 private:
  Gate ready_;
  ChildProcess process_;
};

// Ends being root, in a child: no other groups, and no way back.
void become_user(std::uint32_t uid, std::uint32_t gid);

}  // namespace comch::test
