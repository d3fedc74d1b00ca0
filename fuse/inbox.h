// Inbox: the messages of one connection, on their way to whoever reads its files; and
// ServerInbox: those of all connections of a server, for the server's own recv.
//
//              message callback                     READ
//   engine --------------------> Inbox.waiting <------------ recv, get, recv.framed
//     ^                          ServerInbox.waiting <------ the server's recv
//     +-- take(), when a READ comes and the connection is paused
//
// A connection is paused but while somebody waits or polls. The oldest wait is served
// first, whether it stands at the connection or at the server.
//
// Threads: the loop's. Lifetime: an inbox outlives its connection; after end() it holds
// what was given back and then only says that there is no more.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comch/connection.h"
#include "engine_host.h"
#include "message_queue.h"

namespace comch::fuse {

class ServerInbox;

class Inbox final : public MessageQueue {
 public:
  // `server` is null for a client's connection.
  Inbox(EngineHost& host, Connection& connection, std::string connection_name,
        std::shared_ptr<ServerInbox> server);

  std::optional<Message> take() override;
  bool has_message() override;
  void listen() override;
  bool is_ending() const override;
  void give_back(const Message& message) override;

  // The engine's callback.
  Receipt on_message(std::span<const std::byte> bytes);

  // The connection is no more. `loss` is ECONNRESET or 0.
  void end(int loss);
  // The same for a connection whose files answer ENODEV already.
  void forget() {
    connection_ = nullptr;
    returned_.clear();
  }

  // Its directory is gone: nothing is read from it any more, by the server's own recv
  // neither, and the two let go of each other.
  void leave_server();

  std::size_t given_back() const { return returned_.size(); }
  std::size_t given_back_bytes() const;

 private:
  HeldRead* first_waiting(ReadQueue*& queue);
  bool is_waited_for() const;
  bool is_listened_to() const;

  EngineHost& host_;
  Connection* connection_;
  std::shared_ptr<ServerInbox> server_;  // Which has us among its own, until we leave.
  std::deque<std::vector<std::byte>> returned_;
  std::vector<std::byte> current_;  // The one of returned_ that was taken last.
};

class ServerInbox final : public MessageSource {
 public:
  std::optional<Message> take() override;
  bool has_message() override;
  void listen() override;
  bool is_ending() const override { return false; }
  bool has_ended() const override { return false; }

  void add(const std::shared_ptr<Inbox>& inbox);
  void remove(const Inbox& inbox);

 private:
  std::vector<std::shared_ptr<Inbox>> inboxes_;
  std::size_t turn_ = 0;  // Where the next take() begins, so that connections take turns.
};

}  // namespace comch::fuse
