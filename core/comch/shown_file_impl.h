// ShownFileImpl: what stands behind a ShownFile: the file as the lanes of producers hold it, which
// may outlast the face by a message.
//
// Threads: as ShownFile. Lifetime: the application's.
#pragma once

#include <memory>
#include <utility>

#include "comch/shown_file.h"
#include "transport/shm/remote_consumer.h"

namespace comch {

class ShownFileImpl final : public ShownFile {
 public:
  explicit ShownFileImpl(os::Fd fd)
      : shared_(std::make_shared<transport::shm::SharedFile>(std::move(fd))) {}

  static const ShownFileImpl& of(const ShownFile& face) {
    return static_cast<const ShownFileImpl&>(face);
  }
  const std::shared_ptr<transport::shm::SharedFile>& shared() const { return shared_; }

 private:
  const std::shared_ptr<transport::shm::SharedFile> shared_;
};

}  // namespace comch
