// What all open files have in common; see open_file.h.
#include "open_file.h"

#include <linux/fuse.h>

namespace comch::fuse {

OpenFile::~OpenFile() {
  if (poll_handle_ != nullptr) fuse_pollhandle_destroy(poll_handle_);
}

void OpenFile::set_poll_handle(fuse_pollhandle* handle) {
  if (poll_handle_ != nullptr) fuse_pollhandle_destroy(poll_handle_);
  poll_handle_ = handle;
}

void OpenFile::wake_pollers() {
  // This notification takes no lock of the kernel that a request of ours could hold, so
  // it may be sent from the loop; the ones about entries and inodes may not.
  if (poll_handle_ != nullptr) fuse_lowlevel_notify_poll(poll_handle_);
}

unsigned OpenFile::open_flags() const { return FOPEN_DIRECT_IO | FOPEN_NOFLUSH | FOPEN_STREAM; }

}  // namespace comch::fuse
