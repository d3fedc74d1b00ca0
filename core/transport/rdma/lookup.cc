// Lookup: see lookup.h.
#include "transport/rdma/lookup.h"

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "os/event.h"

namespace comch::transport::rdma {

using Found = Result<std::vector<Address>>;

struct Lookup::Question {
  Question(std::shared_ptr<Resolver> r, std::string h, os::Event bell)
      : resolver(std::move(r)), host(std::move(h)), answered(std::move(bell)) {}

  void ask() {
    Found found = resolver->look_up(host);
    const std::lock_guard lock(mutex);
    answer = std::move(found);
    answered.signal();
  }

  const std::shared_ptr<Resolver> resolver;
  const std::string host;
  const os::Event answered;
  std::mutex mutex;
  std::optional<Found> answer;  // Behind mutex.
};

Result<std::unique_ptr<Lookup>> Lookup::begin(std::shared_ptr<Resolver> resolver, Reactor& reactor,
                                              std::string host, LookupOwner& owner) {
  Result<os::Event> answered = os::Event::create();
  if (!answered) return std::unexpected(answered.error());
  const auto question =
      std::make_shared<Question>(std::move(resolver), std::move(host), std::move(*answered));
  std::unique_ptr<Lookup> lookup(new Lookup(question, reactor, owner));
  if (Status s = reactor.watch(question->answered.fd().get(), *lookup); !s) {
    return std::unexpected(s.error());
  }
  try {
    std::thread([question] { question->ask(); }).detach();
  } catch (const std::system_error& error) {
    return fail(Errc::operating_system, "there is no thread to be had", error.code().value());
  }
  return lookup;
}

Lookup::Lookup(std::shared_ptr<Question> question, Reactor& reactor, LookupOwner& owner)
    : question_(std::move(question)), reactor_(reactor), owner_(owner) {}

Lookup::~Lookup() { reactor_.unwatch(question_->answered.fd().get()); }

void Lookup::on_readable() {
  question_->answered.drain();
  std::optional<Found> found;
  {
    const std::lock_guard lock(question_->mutex);
    found = std::exchange(question_->answer, std::nullopt);
  }
  if (found) owner_.on_found(std::move(*found));
}

}  // namespace comch::transport::rdma
