// ShownFile: a file of this process that consumers of the other side may read, so that both sides
// can read a message from it, each a part, straight into the buffer that the consumer has posted:
//
//   auto file = ShownFile::create(fd).value();
//   Status s = producer->send_file(consumer, *file, 0, size);
//
// To show a file is to give it: the process of each consumer that it is sent to gets a descriptor
// of it, as it was opened, until this is destroyed, and may read all of it, and write it if that is
// open for writing. Open it for reading alone.
//
// Threads: any, one at a time; the producers that send it may be on others.
// Lifetime: may end while it is being sent. What is under way then may come to nothing; see
// send_file().
#pragma once

#include <memory>

#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

class ShownFile {
 public:
  // `fd` may be closed afterwards.
  // invalid_value: it is no regular file, not open for reading, or open with O_DIRECT.
  // operating_system: it is no descriptor, or this process may have no more.
  static Result<std::unique_ptr<ShownFile>> create(int fd);
  virtual ~ShownFile() = default;
  ShownFile(const ShownFile&) = delete;
  ShownFile& operator=(const ShownFile&) = delete;

 protected:
  ShownFile() = default;
};

}  // namespace comch
#pragma GCC visibility pop
