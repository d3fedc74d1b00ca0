// Files that are streams; see stream_node.h.
#include "stream_node.h"

namespace comch::fuse {

struct stat StreamNode::attributes() const {
  struct stat result = base_attributes(S_IFREG | stream_mode(record().permissions, direction_));
  result.st_size = 4096;
  result.st_blocks = 8;
  return result;
}

std::expected<std::unique_ptr<OpenFile>, int> StreamNode::open(const OpenRequest& request) {
  // The kernel has asked the mode already, but not of root.
  if (request.for_reading && !direction_.readable) return std::unexpected(EACCES);
  if (request.for_writing && !direction_.writable) return std::unexpected(EACCES);
  return opener_(request.caller);
}

}  // namespace comch::fuse
