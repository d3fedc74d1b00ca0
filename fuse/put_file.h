// PutFile: `put`: everything from open to the last close is one message.
//
// A close says nothing: what fails behind it is in the object's `error`. A write that fails
// spoils the put, and so does one that was interrupted or found no room and was not tried
// again: of a message that is not whole nothing is sent, or, when parts of it are on their
// way already, the other side is told that no more will come.
//
// Threads, errors: as OutboxFile; and EDQUOT: what is kept is more than its object's owner may
// have.
#pragma once

#include <memory>
#include <string>

#include "kept_memory.h"
#include "outbox_file.h"

namespace comch::fuse {

class PutFile final : public OutboxFile {
 public:
  PutFile(std::shared_ptr<Outbox> outbox_shared, UserQuota& quota)
      : OutboxFile(std::move(outbox_shared)), put_(outbox().begin_put()), memory_(quota) {}
  void closing() override;

 private:
  Progress take(std::span<const std::byte> bytes, bool is_first_in_line) override;
  void on_cut_short(int error) override;
  Outbox::Place place() const override;
  bool has_room() const override;

  std::unique_ptr<Put> put_;
  KeptMemory memory_;
  int spoilt_by_ = 0;          // What later writes answer, too.
  bool is_cut_short_ = false;  // The next write is to bring what this one did not.
};

}  // namespace comch::fuse
