// LocalConsumer: a consumer of this process, where the connection's thread and the consumer's meet:
// what the other machine has answered, and the lanes it was given.
//
//   connection's thread   accept(board), add(lane), lane_ended(number), refuse(error)
//   consumer's thread     take_news()
//
// Threads: as above, behind one mutex. Lifetime: shared by the port and the hub, which keeps it
// until the other machine has said that nothing of its writes is under way any more: the memory
// that it may write to is here. Errors: none.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "os/event.h"
#include "transport/rdma/in_lane.h"

namespace comch::transport::rdma {

class LocalConsumer {
 public:
  struct News {
    std::optional<wire::Target> board;  // Once: the other machine's producers know of it.
    std::optional<Error> refused;
    std::vector<std::shared_ptr<InLane>> lanes;  // That are new.
  };

  LocalConsumer(const wire::RdmaConsumer& terms, std::unique_ptr<Link> line, Pinned posts,
                const os::Event& rings);

  const wire::RdmaConsumer terms;
  const LaneShape shape;
  // From acceptance on the consumer's thread's: the line, and what is written by it.
  Link& line() { return *line_; }
  const Pinned& posts() const { return posts_; }

  // The other side has answered: accept() or refuse() follows. False: it has before, and the line
  // is the consumer's thread's already.
  bool take_answer();
  void accept(const wire::Target& board);
  // Each: false: no correct peer says that now.
  bool is_new(std::uint32_t lane) const;
  bool lane_ended(std::uint32_t number);
  void refuse(const Error& error);
  // shutdown: its port is gone. full: it has kMaxLanes, or they have ended and are not over.
  Status may_add() const;
  // Errors: as may_add(), if it has become so.
  Status add(std::shared_ptr<InLane> lane);

  News take_news();
  // A lane that has ended is empty, and has been let go.
  void lane_over();
  // The port has no ears any more.
  void forget_port();

 private:
  void ring();
  Status has_place() const;

  const Pinned posts_;
  const std::unique_ptr<Link> line_;
  mutable std::mutex mutex_;
  // Behind mutex_.
  const os::Event* rings_;  // The port's; null: it is gone.
  bool answered_ = false;
  News news_;
  std::vector<std::shared_ptr<InLane>> lanes_;
  std::size_t ended_ = 0;  // Lanes that have ended, and that the port still reads.
};

}  // namespace comch::transport::rdma
