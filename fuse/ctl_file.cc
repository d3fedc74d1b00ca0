// Orders to objects; see ctl_file.h.
#include "ctl_file.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "object_record.h"

namespace comch::fuse {
namespace {

// The orders of one write, of which those before `next` have been obeyed.
struct Run {
  std::shared_ptr<CtlTarget> target;
  std::vector<Order> orders;
  std::size_t next = 0;
  Outcome current;
};

// Goes on until an order has to be waited for, fails, or was the last one.
std::optional<Outcome> advance(Run& run) {
  while (true) {
    if (run.current.is_pending()) {
      auto ended = run.current.check();
      if (!ended) return std::nullopt;
      run.current = about(run.orders[run.next - 1].verb, std::move(*ended));
    }
    if (run.current.error != 0 || run.next == run.orders.size()) return run.current;
    if (run.target->is_gone()) return Outcome::failed(ENODEV, "the object is gone");
    const Order& order = run.orders[run.next++];
    run.current = about(order.verb, run.target->obey(order));
  }
}

}  // namespace

Outcome CtlTarget::misunderstood(const Order& order) const {
  return Outcome::failed(EINVAL, objection_to(order, ctl_usage()));
}

CtlFile::CtlFile(std::shared_ptr<CtlTarget> target, std::string first_answer,
                 Operations& operations)
    : target_(std::move(target)),
      operations_(operations),
      answer_(std::make_shared<Answer>(Answer{std::move(first_answer), 0})) {}

void CtlFile::read(Request request, const Read& read) {
  const std::string_view rest = std::string_view(answer_->text).substr(answer_->read);
  const std::string_view piece = rest.substr(0, read.size);
  answer_->read += piece.size();
  request.data(piece);
}

Outcome CtlFile::start(std::string_view text) {
  if (record->removed) return Outcome::failed(ENODEV, "the object is gone");
  auto orders = parse_orders(text);
  if (!orders) return Outcome::failed(EINVAL, orders.error());
  auto run = std::make_shared<Run>(Run{target_, std::move(*orders), 0, {}});
  if (auto ended = advance(*run)) return *ended;
  return Outcome::later([run] { return advance(*run); },
                        [run] {
                          if (run->current.give_up) run->current.give_up();
                        });
}

void CtlFile::write(Request request, const Write& write) {
  const std::string text(reinterpret_cast<const char*>(write.bytes.data()), write.bytes.size());
  operations_.answer(std::move(request), text.size(), start(text), write.nonblocking,
                     [answer = answer_, record = record](const Outcome& ended) {
                       answer->read = 0;
                       answer->text = "ok\n";
                       if (ended.error == 0) return;
                       answer->text =
                           fmt::format("{}: {}\n", strerrorname_np(ended.error), ended.reason);
                       note_failure(*record, ended);
                     });
}

}  // namespace comch::fuse
