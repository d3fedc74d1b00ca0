// ConsumerFace: a Consumer that knows what stands behind it: a ConsumerImpl or, where the
// other side is another machine, an RdmaConsumerImpl, of a connection; or a QueueConsumerImpl, of a
// MsgQ. ConsumerObject: the one that an application holds, with that in it.
//
// A face asks this once per call, by a branch that is always the same way in one program's loop;
// a virtual call would ask the same and keep the compiler from looking through it.
//
// Threads, lifetime: the Consumer's. Errors: none.
#pragma once

#include <cstdint>
#include <utility>

#include "base/homebound.h"
#include "comch/consumer.h"

namespace comch {

class ConsumerFace : public Consumer {
 public:
  enum class Kind : std::uint8_t { kConnection, kQueue, kRdma };

  static Kind kind(const Consumer& face) { return static_cast<const ConsumerFace&>(face).kind_; }
  static bool on_queue(const Consumer& face) { return kind(face) == Kind::kQueue; }

 protected:
  explicit ConsumerFace(Kind kind) : kind_(kind) {}

 private:
  const Kind kind_;
};

// `Impl::kKind` says which it is.
template <class Impl>
class ConsumerObject final : public ConsumerFace, public Homebound<ConsumerObject<Impl>> {
 public:
  template <class... Parts>
  explicit ConsumerObject(Parts&&... parts)
      : ConsumerFace(Impl::kKind), impl_(*this, std::forward<Parts>(parts)...) {}

  // What stands behind a face of this kind.
  static Impl& of(Consumer& face) { return static_cast<ConsumerObject&>(face).impl_; }
  static const Impl& of(const Consumer& face) {
    return static_cast<const ConsumerObject&>(face).impl_;
  }

 private:
  Impl impl_;
};

}  // namespace comch
