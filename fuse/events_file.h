// EventStream and EventsFile: the file `events`, one line per event.
//
// A stream is the log of one scope (the mount, a server, a client) and the open files
// that follow it. Each follows with a cursor of its own, from the moment it was opened;
// a read gives one line and waits when there is none. There is no end of file.
//
//   12.345678 connected servers/echo/conn0 peer_uid=1000 peer_pid=4242
//
// Threads: the loop's.
#pragma once

#include <list>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "event_log.h"
#include "open_file.h"
#include "request.h"

namespace comch::fuse {

class EventsFile;

class EventStream {
 public:
  EventStream() : log_(kLinesMax) {}

  void publish(std::string_view line);
  // Every waiting reader gets `error`: the object, or the daemon, is going away.
  void fail_readers(int error);

 private:
  friend class EventsFile;
  static constexpr std::size_t kLinesMax = 4096;  // Picked: a burst of connects and ends.

  EventLog log_;
  std::unordered_set<EventsFile*> files_;
};

class EventsFile final : public OpenFile {
 public:
  explicit EventsFile(std::shared_ptr<EventStream> stream);
  ~EventsFile() override;

  void read(Request request, const Read& read) override;
  unsigned readiness() override;

 private:
  friend class EventStream;
  class HeldRead;

  bool deliver(Request& request, std::size_t size);
  void serve();

  const std::shared_ptr<EventStream> stream_;
  EventCursor cursor_;
  std::string rest_;  // Of a line that was longer than the read.
  std::list<std::unique_ptr<HeldRead>> held_;
};

}  // namespace comch::fuse
