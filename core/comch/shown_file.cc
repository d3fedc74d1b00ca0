// ShownFile: see comch/shown_file.h.
#include "comch/shown_file.h"

#include "comch/shown_file_impl.h"
#include "os/memory.h"
#include "os/peer_file.h"

namespace comch {

Result<std::unique_ptr<ShownFile>> ShownFile::create(int fd) {
  Result<os::Fd> own = os::duplicate(fd);
  if (!own) return std::unexpected(own.error());
  if (!os::is_cached_file(*own)) {
    return fail(Errc::invalid_value, "no regular file that is open for reading without O_DIRECT");
  }
  return std::make_unique<ShownFileImpl>(std::move(*own));
}

}  // namespace comch
