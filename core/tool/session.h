// Session: a client of the tool, from finding its server to taking its leave.
//
//   auto session = Session::open(loop, common, "echo", {.on_message = print});
//   if (!session) return std::unexpected(session.error());
//   session->connection().try_send(message);
//   ...
//   return session->close();
//
// Threads: the loop's.
// Order: open() returns once the connection has stood, be it over by then or not; handlers run
// inside Loop::run_until. Lifetime: outlived by the loop. A session that goes without close() cuts
// the connection off; close() has everything that was sent received first. Errors: complaints that
// name the server.
#pragma once

#include <memory>
#include <string>

#include "comch/client.h"
#include "tool/common_options.h"
#include "tool/complaint.h"
#include "tool/loop.h"

namespace comch::tool {

class Session {
 public:
  struct Handlers {
    Client::MessageHandler on_message;  // Empty: messages are taken and dropped.
    Client::SpaceHandler on_space;      // Empty: nobody asks for space.
  };

  static Outcome<Session> open(Loop& loop, const CommonOptions& common, const std::string& server,
                               Handlers handlers, Loop::Deadline deadline = std::nullopt);

  // False once the server has ended the connection or died.
  bool alive() const { return client_->state() == ContextState::kRunning; }

  // While alive().
  Connection& connection() { return **client_->connection(); }

  std::uint32_t max_message_size() const { return client_->max_message_size(); }

  // A complaint when the server died; nothing when it lives or has ended in good order.
  Outcome<> loss() const;

  // Disconnects in good order and waits until that is done.
  Outcome<> close();

 private:
  Session(Loop& loop, std::string server, std::unique_ptr<Client> client)
      : loop_(&loop), server_(std::move(server)), client_(std::move(client)) {}

  Outcome<> configure(const CommonOptions& common, Handlers handlers);
  Outcome<> start(Loop::Deadline deadline);

  Loop* loop_;
  std::string server_;
  std::unique_ptr<bool> stood_ = std::make_unique<bool>(false);  // The client was running.
  std::unique_ptr<Client> client_;
};

}  // namespace comch::tool
