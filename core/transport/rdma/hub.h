// Hub: where the fast path of one connection's end comes together. Consumers of this process tell
// the other machine of themselves through it, and producers of this process find here the
// consumers of the other machine, and lanes to them.
//
//   consumer's thread    hub.announce(local)                 ... withdraw(id)
//   connection's thread  hub.flush(courier)                  what was announced goes out
//                        hub.take(letter)                    what the other machine said
//   producer's thread    hub.find(id), take_lane(), ...
//
// A *letter* is a packet of wire/rdma_packet.h, which the control path carries beside the
// application's messages. The connection's thread owns the control path; the others leave what is
// to be said in the outbox and ring news().
//
// Threads: as above, each call any unless it says otherwise; all is behind one mutex, for nothing
// of it is done per message. What asks the device for something is done outside of it.
// Lifetime: shared by the channel and its ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "os/event.h"
#include "transport/port_ids.h"
#include "transport/rdma/fabric.h"
#include "transport/rdma/local_consumer.h"
#include "transport/rdma/registration.h"
#include "transport/rdma/remote_consumer.h"
#include "transport/transport.h"
#include "wire/rdma_packet.h"

namespace comch::transport::rdma {

// A consumer of the other machine that has come or gone.
struct ConsumerNews {
  std::uint32_t id = 0;
  bool appeared = false;
};

// The control path, as the hub sees it.
class Courier {
 public:
  // Sends one letter. again: there is no room; everything else: there will be none.
  virtual Status send_letter(std::span<const std::byte> letter) = 0;

  // The same of a packet. False: there is no room.
  bool takes(const wire::RdmaPacket& letter);

 protected:
  ~Courier() = default;
};

class Hub final : public FastPath {
 public:
  // operating_system: no descriptor.
  static Result<std::shared_ptr<Hub>> create(bool is_server, Fabric fabric);
  Hub(os::Event news, bool is_server, Fabric fabric);

  const Fabric& fabric() const { return fabric_; }
  // Maps of consumers here, which the other machine may write to for as long as the hub lives.
  Exposures& exposures() { return exposures_; }

  // A port of this process begins, or ends. It hears of what changes by `rings`, which stays
  // where it is until leave(); and asks closed() then.
  // connection_reset: the connection is over. full: there are kMaxPorts of the kind; or so many
  // consumers have ended of which the other side has not said that it writes there no more.
  enum class Kind : std::uint8_t { kConsumer, kProducer };
  Status enter(Kind kind, const os::Event& rings);
  void leave(const os::Event& rings);
  std::size_t ports() const override;
  bool closed() const;
  // Wakes the producers of this process: something has changed for all of them.
  void ring_producers() const;

  std::uint32_t next_consumer_id();
  std::uint32_t next_producer_id();

  // Consumers of this process.
  void announce(std::shared_ptr<LocalConsumer> consumer);
  void withdraw(std::uint32_t id);
  // A lane that had ended is empty: so many messages have come by it.
  void lane_over(std::uint32_t consumer, std::uint32_t number, std::uint32_t messages);

  // Consumers of the other machine; null: none of this id.
  std::shared_ptr<RemoteConsumer> find(std::uint32_t id) const;
  std::vector<std::uint32_t> remote_ids() const override;
  // A lane to it. again: one is being made; the producers are rung when it is there, or refused.
  // Others: what the other side says, told once, or why none can be made here. The next call asks
  // for one anew.
  Result<LaneParts> take_lane(RemoteConsumer& consumer);
  // Whether that is what take_lane() would say: the other side has refused.
  bool has_refused(std::uint32_t consumer) const;
  // The producer has nothing under way in it any more.
  void give_back(RemoteConsumer& consumer, LaneParts lane);

  // The connection's thread. Readable: call flush(), and look at ports().
  const os::Event& news() const { return news_; }
  // Sends what is in the outbox. True: something could not be sent yet; call again soon.
  bool flush(Courier& courier);
  // A letter of the other machine. Nothing: it changed nothing that the application is told of.
  // connection_reset: no correct peer sends this.
  Result<std::optional<ConsumerNews>> take(std::span<const std::byte> letter);
  // The connection is over: every port is told. The ids that were still there come back.
  std::vector<std::uint32_t> close();

 private:
  using News = Result<std::optional<ConsumerNews>>;
  static constexpr std::size_t kMaxPorts = 1024;
  // Of what this side has to say, lanes that it wants aside. Who takes letters leaves no more than
  // a few for each port there may be.
  static constexpr std::size_t kMaxLetters = 4 * kMaxPorts;
  // Consumers that have ended and are kept for the other side's writes, each with a descriptor. A
  // quarter of those that a process has by default.
  static constexpr std::size_t kMaxEnded = 256;

  struct Port {
    Kind kind;
    const os::Event* rings;
  };

  News took(const wire::RdmaConsumer& terms);
  News took(const wire::RdmaAccepted& accepted);
  News took(const wire::RdmaLane& lane);
  News took(const wire::RdmaLaneReady& ready);
  News took(const wire::RdmaLaneEnd& end);
  News took(const wire::RdmaLaneOver& over);
  News took(const wire::RdmaConsumerEnd& end);
  News took(const wire::RdmaConsumerDone& done);
  News took(const wire::RdmaRefused& refused);

  void say(const wire::RdmaPacket& packet);
  bool has_too_much_to_say() const;
  void unsay(std::uint32_t remote);
  std::shared_ptr<LocalConsumer> forget(std::uint32_t id);
  Status want_lane(RemoteConsumer& consumer);
  void want_lanes(RemoteConsumer& consumer);
  void want_lanes_for_all();
  std::shared_ptr<LocalConsumer> local(std::uint32_t id) const;
  Result<wire::RdmaLaneReady> give_lane(LocalConsumer& consumer, const wire::RdmaLane& lane);
  bool wants_more(const RemoteConsumer& consumer) const;
  void done_if_empty(const RemoteConsumer& consumer);

  const os::Event news_;
  const Fabric fabric_;
  Exposures exposures_;
  mutable std::mutex mutex_;
  // All behind mutex_.
  bool closed_ = false;
  PortIds ids_;
  std::deque<wire::RdmaPacket> outbox_;
  std::vector<Port> ports_;
  std::map<std::uint32_t, std::shared_ptr<LocalConsumer>> local_;  // Until RdmaConsumerDone,
  std::set<std::uint32_t> ended_;                                  // which these wait for.
  std::map<std::uint32_t, std::shared_ptr<RemoteConsumer>> remote_;
};

}  // namespace comch::transport::rdma
