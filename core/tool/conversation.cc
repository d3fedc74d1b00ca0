// Conversation: moves messages between input, connection and output until it is over.
#include "tool/conversation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <span>
#include <utility>

#include "tool/loop.h"
#include "tool/session.h"

namespace comch::tool {
namespace {

class Conversation {
 public:
  Conversation(const ConversationOptions& options, std::size_t max_message)
      : options_(options),
        outbox_(options.messages.begin(), options.messages.end()),
        printer_(options.show.value_or(Format::kText)) {
    if (options.input) input_.emplace(STDIN_FILENO, *options.input, max_message);
  }

  Outcome<> hold(const CommonOptions& common, Loop& loop);

 private:
  Receipt receive(Connection& from, std::span<const std::byte> message);
  void watch_input(Loop& loop);
  void read_input();
  void send_waiting();

  bool over() const;
  bool all_sent() const { return outbox_.empty() && (!input_ || input_->ended()); }
  bool enough() const { return options_.count && received_ >= *options_.count; }
  Outcome<> verdict(Wake why) const;

  const ConversationOptions& options_;
  std::deque<std::string> outbox_;  // To be sent; input is read only while it is empty.
  std::optional<Input> input_;
  Printer printer_;
  Session* session_ = nullptr;
  std::uint64_t received_ = 0;
  Outcome<> so_far_;  // A complaint once something went wrong.
};

Outcome<> Conversation::hold(const CommonOptions& common, Loop& loop) {
  const auto deadline = options_.timeout_s
                            ? Loop::deadline_in(std::chrono::duration<double>(*options_.timeout_s))
                            : std::nullopt;
  auto session = Session::open(
      loop, common, options_.server,
      {.on_message = [this](Connection& from,
                            std::span<const std::byte> message) { return receive(from, message); },
       .on_space = [this](Connection&) { send_waiting(); }},
      deadline);
  if (!session) return std::unexpected(session.error());
  session_ = &*session;
  watch_input(loop);
  send_waiting();
  const Wake why = loop.run_until([this] { return over(); }, deadline);
  loop.watch(-1, {}, {});
  // A server that has all may leave before the end of the input is read here.
  if (!session->alive() && so_far_ && outbox_.empty() && input_ && input_->readable()) read_input();
  // A server that does not take what waits would not let us take our leave in time either.
  if (why != Wake::kDone && !outbox_.empty()) return verdict(why);
  auto outcome = verdict(why);
  auto closed = session->close();
  return outcome ? closed : outcome;
}

Receipt Conversation::receive(Connection& from, std::span<const std::byte> message) {
  if (enough()) return Receipt::kKeep;  // What nobody asked for stays unread.
  if (options_.show) printer_.print(from.id(), message);
  ++received_;
  return Receipt::kTaken;
}

void Conversation::watch_input(Loop& loop) {
  if (!input_) return;
  loop.watch(
      input_->fd(), [this] { return outbox_.empty() && !input_->ended() && so_far_.has_value(); },
      [this] { read_input(); });
}

void Conversation::read_input() {
  so_far_ = input_->fill();
  while (auto message = input_->next()) outbox_.push_back(std::move(*message));
  if (session_->alive()) send_waiting();
}

// Sends until the outbox is empty or the server's queue full, and then asks to be called.
void Conversation::send_waiting() {
  while (!outbox_.empty() && session_->alive()) {
    Connection& connection = session_->connection();
    const Status sent = connection.try_send(std::as_bytes(std::span(outbox_.front())));
    if (sent) {
      outbox_.pop_front();
      continue;
    }
    if (sent.error().code == Errc::again) return connection.request_space();
    if (so_far_) {
      so_far_ = complain(fmt::format("cannot send a message of {} bytes", outbox_.front().size()),
                         sent.error());
    }
    outbox_.clear();
  }
}

bool Conversation::over() const {
  if (!so_far_ || printer_.failed() || !session_->alive() || enough()) return true;
  return !options_.stay && !options_.count && all_sent();
}

Outcome<> Conversation::verdict(Wake why) const {
  if (!so_far_) return so_far_;
  if (printer_.failed()) return printer_.outcome();
  if (auto lost = session_->loss(); !lost) return lost;
  const std::string_view reason = why == Wake::kTimeout       ? "time is up"
                                  : why == Wake::kInterrupted ? "interrupted"
                                                              : "the server ended the connection";
  if (options_.count && !enough()) {
    return complain(fmt::format("{} after {} of {} messages", reason, received_, *options_.count));
  }
  // A sender owes the rest of its input too; in a talk the other end may simply leave.
  const bool owed = options_.show ? !outbox_.empty() : !options_.stay && !all_sent();
  if (owed) {
    return complain(fmt::format("{} before everything was sent", reason));
  }
  return {};
}

}  // namespace

Outcome<> converse(const CommonOptions& common, const ConversationOptions& options) {
  auto loop = Loop::create();
  if (!loop) return std::unexpected(loop.error());
  return Conversation(options, common.max_message_size).hold(common, *loop);
}

}  // namespace comch::tool
