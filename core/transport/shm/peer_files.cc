// PeerFiles: see peer_files.h.
#include "transport/shm/peer_files.h"

#include <utility>

namespace comch::transport::shm {

Status PeerFiles::add(const wire::File& said, os::PeerFile file, Allowances& allowances) {
  if (!file || said.number < next_ || files_.size() >= kMost) {
    return fail(Errc::connection_reset, "a file that cannot be taken");
  }
  next_ = std::uint64_t{said.number} + 1;
  auto share = allowances.descriptors.take(1);
  if (!share) file = {};
  files_.emplace(said.number, Known{std::move(share), std::move(file)});
  return {};
}

const os::PeerFile* PeerFiles::find(std::uint32_t number) const {
  const auto it = files_.find(number);
  return it == files_.end() ? nullptr : &it->second.file;
}

}  // namespace comch::transport::shm
