// Names and attributes; see session_operations.h.
#include <sys/statvfs.h>

#include <cerrno>

#include "session.h"
#include "session_operations.h"

namespace comch::fuse {
namespace {

Session& session_of(fuse_req_t raw) { return *static_cast<Session*>(fuse_req_userdata(raw)); }

// SETATTR as nodes know it. Times are accepted and not kept: touch(1) is no mistake.
AttributeChange wanted_change(const struct stat& values, int which) {
  AttributeChange change;
  if ((which & FUSE_SET_ATTR_MODE) != 0) change.mode = values.st_mode;
  if ((which & FUSE_SET_ATTR_UID) != 0) change.owner = values.st_uid;
  if ((which & FUSE_SET_ATTR_GID) != 0) change.group = values.st_gid;
  if ((which & FUSE_SET_ATTR_SIZE) != 0) change.size = values.st_size;
  return change;
}

}  // namespace

void Session::reply_entry(Request& request, const std::shared_ptr<Node>& node) {
  fuse_entry_param entry{};
  entry.ino = services_.nodes.remember(node);
  entry.attr = node->attributes();
  entry.attr_timeout = node->attribute_timeout_s();
  entry.entry_timeout = node->entry_timeout_s();
  // Whoever asked is gone: the kernel does not know the id and will not forget it.
  if (!request.entry(entry)) services_.nodes.forget(entry.ino, 1);
}

void TreeOperations::lookup(fuse_req_t raw, fuse_ino_t parent, const char* name) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto directory = session.find_directory(parent);
  const auto node = directory ? directory->find(name) : nullptr;
  if (node) {
    session.reply_entry(request, node);
  } else {
    request.fail(directory ? ENOENT : ESTALE);
  }
}

void TreeOperations::forget(fuse_req_t raw, fuse_ino_t id, std::uint64_t lookups) {
  session_of(raw).services_.nodes.forget(id, lookups);
  fuse_reply_none(raw);
}

void TreeOperations::forget_many(fuse_req_t raw, std::size_t count, fuse_forget_data* forgets) {
  NodeTable& nodes = session_of(raw).services_.nodes;
  for (const fuse_forget_data& one : std::span(forgets, count)) nodes.forget(one.ino, one.nlookup);
  fuse_reply_none(raw);
}

void TreeOperations::get_attributes(fuse_req_t raw, fuse_ino_t id, fuse_file_info*) {
  const auto node = session_of(raw).find(id);
  Request request(raw);
  if (node) {
    request.attributes(node->attributes(), node->attribute_timeout_s());
  } else {
    request.fail(ESTALE);
  }
}

void TreeOperations::set_attributes(fuse_req_t raw, fuse_ino_t id, struct stat* values, int which,
                                    fuse_file_info*) {
  const auto node = session_of(raw).find(id);
  Request request(raw);
  const int error = node ? node->change(wanted_change(*values, which)) : ESTALE;
  if (error == 0) {
    request.attributes(node->attributes(), node->attribute_timeout_s());
  } else {
    request.fail(error);
  }
}

void TreeOperations::read_link(fuse_req_t raw, fuse_ino_t id) {
  const auto node = session_of(raw).find(id);
  Request request(raw);
  if (node && node->type() == S_IFLNK) {
    request.link(node->target().c_str());
  } else {
    request.fail(node ? EINVAL : ESTALE);
  }
}

void TreeOperations::make_directory(fuse_req_t raw, fuse_ino_t parent, const char* name,
                                    mode_t mode) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto directory = session.find_directory(parent);
  if (!directory || directory->record().removed) {
    request.fail(directory ? ENOENT : ESTALE);
    return;
  }
  const Caller caller = request.caller();
  if (session.services_.announcer.is_self(caller.thread)) {
    const auto appeared = directory->appear(name);
    if (appeared) {
      session.reply_entry(request, appeared);
    } else {
      request.fail(EEXIST);
    }
    return;
  }
  const auto made = directory->make_directory(name, mode, caller);
  if (made) {
    session.reply_entry(request, *made);
  } else {
    request.fail(made.error());
  }
}

void TreeOperations::remove_directory(fuse_req_t raw, fuse_ino_t parent, const char* name) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto directory = session.find_directory(parent);
  if (!directory) {
    request.fail(ESTALE);
  } else if (session.services_.announcer.is_self(request.caller().thread)) {
    request.fail(directory->vanish(name) ? 0 : ENOENT);
  } else {
    request.fail(directory->remove_directory(name));
  }
}

void TreeOperations::open_directory(fuse_req_t raw, fuse_ino_t id, fuse_file_info*) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto directory = session.find_directory(id);
  if (!directory) {
    request.fail(ESTALE);
    return;
  }
  // The names as they are now: a listing does not change while it is read.
  const std::uint64_t handle = ++session.last_handle_;
  session.listings_[handle] = directory->list();
  if (!request.opened(handle, 0)) session.listings_.erase(handle);
}

void TreeOperations::list_directory(fuse_req_t raw, fuse_ino_t id, std::size_t size, off_t offset,
                                    fuse_file_info* info) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto listing = session.listings_.find(info->fh);
  const auto directory = session.find_directory(id);
  if (listing == session.listings_.end() || !directory) {
    request.fail(EBADF);
    return;
  }
  if (offset == 0) listing->second = directory->list();  // rewinddir(3) wants to see changes.
  std::vector<char> buffer(size);
  std::size_t used = 0;
  const auto count = static_cast<off_t>(listing->second.size());
  for (off_t position = offset; position < count + 2; ++position) {
    struct stat entry{};
    const ListedName* listed =
        position < 2 ? nullptr : &listing->second[static_cast<std::size_t>(position - 2)];
    const char* name = listed != nullptr ? listed->name.c_str() : position == 0 ? "." : "..";
    entry.st_ino = listed != nullptr ? listed->number : directory->number();
    entry.st_mode = listed != nullptr ? listed->type : S_IFDIR;
    const std::size_t needed = fuse_add_direntry(request.raw(), buffer.data() + used, size - used,
                                                 name, &entry, position + 1);
    if (needed > size - used) break;
    used += needed;
  }
  request.data(std::string_view(buffer.data(), used));
}

void TreeOperations::close_directory(fuse_req_t raw, fuse_ino_t, fuse_file_info* info) {
  session_of(raw).listings_.erase(info->fh);
  Request(raw).ok();
}

void TreeOperations::statistics(fuse_req_t raw, fuse_ino_t) {
  struct statvfs result{};
  result.f_bsize = result.f_frsize = 4096;
  result.f_namemax = 255;
  Request(raw).file_system(result);
}

void TreeOperations::fill(fuse_lowlevel_ops& table) {
  table.lookup = &lookup;
  table.forget = &forget;
  table.forget_multi = &forget_many;
  table.getattr = &get_attributes;
  table.setattr = &set_attributes;
  table.readlink = &read_link;
  table.mkdir = &make_directory;
  table.rmdir = &remove_directory;
  table.opendir = &open_directory;
  table.readdir = &list_directory;
  table.releasedir = &close_directory;
  table.statfs = &statistics;
  // Refused here, so that people read "Operation not permitted" and not "not implemented".
  table.unlink = [](fuse_req_t raw, fuse_ino_t, const char*) { Request(raw).fail(EPERM); };
  table.mknod = [](fuse_req_t raw, fuse_ino_t, const char*, mode_t, dev_t) {
    Request(raw).fail(EPERM);
  };
  table.symlink = [](fuse_req_t raw, const char*, fuse_ino_t, const char*) {
    Request(raw).fail(EPERM);
  };
  table.link = [](fuse_req_t raw, fuse_ino_t, fuse_ino_t, const char*) {
    Request(raw).fail(EPERM);
  };
  table.rename = [](fuse_req_t raw, fuse_ino_t, const char*, fuse_ino_t, const char*, unsigned) {
    Request(raw).fail(EPERM);
  };
  table.create = [](fuse_req_t raw, fuse_ino_t, const char*, mode_t, fuse_file_info*) {
    Request(raw).fail(EPERM);
  };
  // Once is enough: the kernel asks no more, and every write is a round trip cheaper.
  table.getxattr = [](fuse_req_t raw, fuse_ino_t, const char*, std::size_t) {
    Request(raw).fail(ENOSYS);
  };
  table.listxattr = [](fuse_req_t raw, fuse_ino_t, std::size_t) { Request(raw).fail(ENOSYS); };
  table.setxattr = [](fuse_req_t raw, fuse_ino_t, const char*, const char*, std::size_t, int) {
    Request(raw).fail(ENOSYS);
  };
}

}  // namespace comch::fuse
