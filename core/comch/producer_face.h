// ProducerFace: a Producer that knows what stands behind it: a ProducerImpl or, where the
// other side is another machine, an RdmaProducerImpl, of a connection; or a QueueProducerImpl, of a
// MsgQ. ProducerObject: the one that an application holds, with that in it.
//
// consumer_face.h says why this is a branch.
//
// Threads, lifetime: the Producer's. Errors: none.
#pragma once

#include <cstdint>
#include <utility>

#include "base/homebound.h"
#include "comch/producer.h"

namespace comch {

class ProducerFace : public Producer {
 public:
  enum class Kind : std::uint8_t { kConnection, kQueue, kRdma };

  static Kind kind(const Producer& face) { return static_cast<const ProducerFace&>(face).kind_; }
  static bool on_queue(const Producer& face) { return kind(face) == Kind::kQueue; }

 protected:
  explicit ProducerFace(Kind kind) : kind_(kind) {}

 private:
  const Kind kind_;
};

// `Impl::kKind` says which it is.
template <class Impl>
class ProducerObject final : public ProducerFace, public Homebound<ProducerObject<Impl>> {
 public:
  template <class... Parts>
  explicit ProducerObject(Parts&&... parts)
      : ProducerFace(Impl::kKind), impl_(*this, std::forward<Parts>(parts)...) {}

  // What stands behind a face of this kind.
  static Impl& of(Producer& face) { return static_cast<ProducerObject&>(face).impl_; }
  static const Impl& of(const Producer& face) {
    return static_cast<const ProducerObject&>(face).impl_;
  }

 private:
  Impl impl_;
};

}  // namespace comch
