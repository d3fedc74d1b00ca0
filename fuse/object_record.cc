// What the files of one object have in common; see object_record.h.
#include "object_record.h"

#include <fmt/format.h>
#include <string.h>

#include <utility>

#include "outcome.h"

namespace comch::fuse {

ObjectRecord::ObjectRecord(std::string object_path, uid_t uid, gid_t gid, mode_t mode,
                           FailureHandler on_failure)
    : path(std::move(object_path)),
      owner(uid),
      group(gid),
      permissions(mode),
      on_failure_(std::move(on_failure)) {
  clock_gettime(CLOCK_REALTIME, &born);
}

void ObjectRecord::note_failure(int error, std::string_view reason) {
  const char* code = strerrorname_np(error);
  const std::string line = fmt::format("{}: {}", code == nullptr ? "EIO" : code,
                                       reason.empty() ? strerrordesc_np(error) : reason);
  last_failure = line;
  if (container) container->last_failure = fmt::format("{} ({})", line, path);
  if (on_failure_) on_failure_(*this, line);
}

void note_failure(ObjectRecord& record, const Outcome& outcome) {
  if (outcome.error != 0 && !outcome.is_noted) record.note_failure(outcome.error, outcome.reason);
}

void ObjectRecord::give_to(uid_t uid, gid_t gid) {
  if (uid == owner && gid == group) return;
  owner = uid;
  group = gid;
  ++owners;
}

void ObjectRecord::end() {
  has_ended_ = true;
  if (open_files_ == 0) share.reset();
}

void ObjectRecord::file_closed() {
  if (--open_files_ != 0) return;
  if (has_ended_) share.reset();
  if (on_last_close) on_last_close();
}

}  // namespace comch::fuse
