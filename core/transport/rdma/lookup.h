// Lookup: the addresses of a host, asked for on a thread of its own: the system's resolver may
// take many seconds, and whoever waits for it has other connections to look after.
//
//   lookup_ = Lookup::begin(verbs.resolver(), reactor, "dpu7.example.org", *this).value();
//   ... on_found(addresses), from inside progress() ...
//
// Nobody can call a resolver off. A Lookup that goes before the answer is told of none; its thread
// ends by itself when the resolver answers, and until then holds the resolver and a descriptor.
//
// Threads: the reactor's, but for the one that asks. Lifetime: on_found() may destroy it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/rdma/verbs.h"
#include "transport/reactor.h"

namespace comch::transport::rdma {

class LookupOwner {
 public:
  // Once. Errors: Resolver::look_up()'s.
  virtual void on_found(Result<std::vector<Address>> found) = 0;

 protected:
  ~LookupOwner() = default;
};

class Lookup final : public Readiness {
 public:
  // operating_system: no thread, or no descriptor, is to be had.
  static Result<std::unique_ptr<Lookup>> begin(std::shared_ptr<Resolver> resolver, Reactor& reactor,
                                               std::string host, LookupOwner& owner);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  void on_readable() override;

 private:
  struct Question;

  Lookup(std::shared_ptr<Question> question, Reactor& reactor, LookupOwner& owner);

  const std::shared_ptr<Question> question_;  // Shared with the thread.
  Reactor& reactor_;
  LookupOwner& owner_;
};

}  // namespace comch::transport::rdma
