// ConsumerPortOwner, ProducerPortOwner: whom the ports of a fast path call, whatever carries it.
//
// Threads: the reactor's; all calls come from inside progress(). Lifetime: the port's at least.
#pragma once

#include "comch/result.h"

namespace comch::transport {

class ConsumerPortOwner {
 public:
  virtual void on_accepted() = 0;  // The other side knows of the consumer. May end the port.
  virtual void on_wake() = 0;      // Something may have come.
  // The port is closed, through no doing of this side.
  virtual void on_lost(const Error& error) = 0;

 protected:
  ~ConsumerPortOwner() = default;
};

class ProducerPortOwner {
 public:
  virtual void on_wake() = 0;                    // Something has changed, for any of its lanes.
  virtual void on_lost(const Error& error) = 0;  // The connection is over.

 protected:
  ~ProducerPortOwner() = default;
};

}  // namespace comch::transport
