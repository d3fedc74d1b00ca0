// Listener: the server behind `comch listen`.
//
// It prints the messages of all its connections and, in turn, sends each line of standard
// input to the clients that are there. A line waits until there is a client, and the next
// line until every client that was to have it has it: nothing is dropped, and nothing is
// kept that standard input could hold.
//
// Threads: one thread, in a Loop of its own.
// Order: each client sees the lines in their order; messages are printed as they come.
// Errors: a complaint when the name cannot be had, or when fewer than `count` messages
// came before the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comch/server.h"
#include "tool/common_options.h"
#include "tool/complaint.h"
#include "tool/input.h"
#include "tool/loop.h"
#include "tool/printer.h"

namespace comch::tool {

struct ListenOptions {
  enum class To : std::uint8_t { kAll, kFirst };

  std::string name;
  bool echo = false;    // Send every message back to whom it came from.
  To to = To::kAll;     // Who gets the lines of standard input.
  bool tagged = false;  // "connN " before each printed message.
  bool quiet = false;   // Nothing on standard error about comings and goings.
  Format format = Format::kText;
  std::optional<std::uint64_t> count;  // End after so many messages.
  std::optional<double> timeout_s;     // End after so long.
};

class Listener {
 public:
  Listener(Loop& loop, const CommonOptions& common, const ListenOptions& options);

  Outcome<> run();

 private:
  Outcome<> start();
  Outcome<> stop();
  Outcome<> verdict(Wake why) const;

  Receipt receive(Connection& from, std::span<const std::byte> message);
  void connected(Connection& connection);
  void disconnected(Connection& connection);
  void space(Connection& connection);

  void watch_input();
  void read_input();
  // Takes the next line, if everybody has the last one, and sends it as far as it goes.
  void send_lines();
  void send_line_to_those_who_lack_it();

  template <class... Parts>
  void notice(const char* format, const Parts&... parts) const;

  bool enough() const { return options_.count && printer_.printed() >= *options_.count; }
  bool over() const { return !so_far_ || printer_.failed() || enough() || !running(); }
  bool running() const { return server_->state() == ContextState::kRunning; }

  Loop& loop_;
  const CommonOptions& common_;
  const ListenOptions& options_;
  std::unique_ptr<Server> server_;
  Printer printer_;
  Input input_;
  std::vector<Connection*> connections_;  // Oldest first.
  std::string line_;                      // The line that is being sent
  std::vector<Connection*> lacking_;      // and those who are still to have it.
  Outcome<> so_far_;                      // A complaint once something went wrong.
};

}  // namespace comch::tool
