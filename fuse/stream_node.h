// StreamNode: a file that is not a value but a stream: messages, events, orders.
//
// Size and blocks are a pretence, found by trying every common tool: with size 0 some
// print nothing, with 0 blocks cp refuses, with 1 tar and wc stop after one byte, with
// 1 MiB tail seeks. 4096 and 8 pass.
//
// Threads, lifetime: as Node.
#pragma once

#include <functional>

#include "node.h"

namespace comch::fuse {

class StreamNode final : public Node {
 public:
  using Opener = std::function<std::expected<std::unique_ptr<OpenFile>, int>(const Caller&)>;

  StreamNode(std::shared_ptr<ObjectRecord> record, Direction direction, Opener opener)
      : Node(std::move(record)), direction_(direction), opener_(std::move(opener)) {}

  struct stat attributes() const override;
  std::expected<std::unique_ptr<OpenFile>, int> open(const OpenRequest& request) override;
  bool has_private_ids() const override { return true; }
  double entry_timeout_s() const override { return 0; }
  double attribute_timeout_s() const override { return 0; }

 private:
  const Direction direction_;
  const Opener opener_;
};

}  // namespace comch::fuse
