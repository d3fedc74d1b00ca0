// SendFile: open files that take whole messages, in two kinds.
//
//   SendFile        send          one write(2) is one message
//   FramedSendFile  send.framed   "LEN\n" + bytes, many messages per write
//
// Threads, errors: as OutboxFile; and EDQUOT: what has come of a frame is more than its object's
// owner may have.
#pragma once

#include <vector>

#include "framing.h"
#include "kept_memory.h"
#include "outbox_file.h"

namespace comch::fuse {

class SendFile final : public OutboxFile {
 public:
  using OutboxFile::OutboxFile;

 private:
  Progress take(std::span<const std::byte> bytes, bool is_first_in_line) override;
  Progress refuse(const Write& write) const override;
};

class FramedSendFile final : public OutboxFile {
 public:
  FramedSendFile(std::shared_ptr<Outbox> outbox, UserQuota& quota)
      : OutboxFile(std::move(outbox)), memory_(quota) {}
  void closing() override;

 private:
  Progress take(std::span<const std::byte> bytes, bool is_first_in_line) override;
  void on_cut_short(int error) override;
  Progress send_whole(std::span<const std::byte> bytes, std::size_t used, bool is_first_in_line);
  Progress finish_begun(std::span<const std::byte> bytes, bool is_first_in_line);
  Status send_one(std::span<const std::byte> message, bool is_first_in_line);

  // Counts what is begun; else that is forgotten, and the write got as far as `before`.
  Progress keep(std::size_t used, std::size_t before);

  KeptMemory memory_;
  std::vector<std::byte> begun_;  // A frame of which earlier writes brought the beginning.
};

}  // namespace comch::fuse
