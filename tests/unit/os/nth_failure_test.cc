// Any system call may fail, once or for ever: whatever fails, an error is reported,
// nothing is leaked, and the next attempt succeeds.
//
// Each scenario runs with its first call failing, then its second, and so on until a run
// makes fewer calls than that; for every errno below, once and from there on for ever.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "os/directory.h"
#include "os/event.h"
#include "os/lock_file.h"
#include "os/memfd.h"
#include "os/memory.h"
#include "os/packet.h"
#include "os/peer_credentials.h"
#include "os/peer_file.h"
#include "os/poller.h"
#include "os/proc_fd.h"
#include "os/random.h"
#include "os/seq_socket.h"
#include "os/timer.h"
#include "support/process_counters.h"
#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

using namespace std::chrono_literals;

constexpr std::array kErrnos{EMFILE, ENFILE, ENOMEM, ENOSPC, EINTR, EAGAIN, EPERM};
constexpr std::uint64_t kCallsMax = 200;  // Far more than any scenario makes.

struct Scenario {
  const char* name;
  Status (*run)(const Fd& directory);
  friend std::ostream& operator<<(std::ostream& out, const Scenario& s) { return out << s.name; }
};

Status listens(const Fd& directory) {
  const Result<Fd> listener = listen_at(directory, "s", 4);
  if (!listener) return std::unexpected(listener.error());
  return unlink_at(directory, "s");
}

// What one side does of a handshake, and the other.
Status meets(const Fd& directory) {
  const Result<Fd> listener = listen_at(directory, "s", 4);
  if (!listener) return std::unexpected(listener.error());
  const Result<Fd> caller = connect_at(directory, "s");
  if (!caller) return std::unexpected(caller.error());
  const Result<std::optional<Fd>> callee = accept(*listener);
  if (!callee) return std::unexpected(callee.error());
  if (!*callee) return fail(Errc::again, "nobody is there yet");
  const Result<Credentials> who = peer_credentials(**callee);
  if (!who) return std::unexpected(who.error());
  const Result<Fd> memory = make_sealed_memfd("comch-sweep", 4096);
  if (!memory) return std::unexpected(memory.error());
  take_descriptors(**callee);
  auto line = pair();
  if (!line) return std::unexpected(line.error());
  const Status sent = send(*caller, {}, std::array{memory->get(), line->first.get()});
  if (!sent) return sent;
  std::array<std::byte, 8> buffer;
  const Result<Packet> packet = receive(**callee, buffer);
  if (!packet) return std::unexpected(packet.error());
  if (packet->fd_count != 2) return fail(Errc::connection_reset, "not what was sent");
  const Result<std::uint64_t> size = sealed_size(packet->fds[0]);
  if (!size) return std::unexpected(size.error());
  const Result<Mapping> mapping = Mapping::map(packet->fds[0], *size);
  if (!mapping) return std::unexpected(mapping.error());
  return unlink_at(directory, "s");
}

Status reaches_the_end(const Fd&) {
  Result<std::pair<Fd, Fd>> ends = pair();
  if (!ends) return std::unexpected(ends.error());
  ends->first.reset();
  std::array<std::byte, 8> buffer;
  const Result<Packet> packet = receive(ends->second, buffer);
  if (!packet) return std::unexpected(packet.error());
  return packet->end ? Status() : fail(Errc::unexpected, "the end was missed");
}

Status maps_memory(const Fd&) {
  const Result<Fd> memory = make_sealed_memfd("comch-sweep", 8192);
  if (!memory) return std::unexpected(memory.error());
  const Result<std::uint64_t> size = sealed_size(*memory);
  if (!size) return std::unexpected(size.error());
  const Result<Mapping> mapping = Mapping::map(*memory, *size);
  if (!mapping) return std::unexpected(mapping.error());
  return {};
}

// What an exporter of memory does, and its importer.
Status shares_memory(const Fd&) {
  Result<Fd> made = make_memory("comch-sweep", 8192, Pages::kOrdinary);
  if (!made) return std::unexpected(made.error());
  const Result<Fd> memory = duplicate(made->get());
  if (!memory) return std::unexpected(memory.error());
  const Result<Window> window = Window::map(*memory, {0, 8192}, Window::kWrite);
  if (!window) return std::unexpected(window.error());
  if (const Status s = populate(*memory, *window); !s) return s;
  if (const Status s = seal_memory(*memory, ForOthers::kWritable); !s) return s;
  std::array<std::byte, 16> cookie{};
  if (const Status s = fill_random(cookie); !s) return s;
  const Result<Fd> token = make_blank_memory("comch-sweep");
  if (!token) return std::unexpected(token.error());
  if (const Status s = freeze_memory(*token, cookie); !s) return s;
  const Result<Fd> found = open_memory_of(::getpid(), token->get(), Window::kRead);
  if (!found) return std::unexpected(found.error());
  if (const Status s = read_frozen_memory(*found, cookie); !s) return s;
  const Result<FileId> id = file_id(*memory);
  return id ? Status() : std::unexpected(id.error());
}

Status locks(const Fd& directory) {
  const Result<Fd> lock = lock_at(directory, "lock");
  if (!lock) return std::unexpected(lock.error());
  return unlink_at(directory, "lock");
}

Status polls(const Fd&) {
  Result<Poller> poller = Poller::create();
  if (!poller) return std::unexpected(poller.error());
  const Result<Event> bell = Event::create();
  if (!bell) return std::unexpected(bell.error());
  const Result<Timer> timer = Timer::create();
  if (!timer) return std::unexpected(timer.error());
  if (const Status s = poller->add(bell->fd().get(), EPOLLIN, nullptr); !s) return s;
  if (const Status s = poller->add(timer->fd().get(), EPOLLIN, nullptr); !s) return s;
  std::array<Ready, 4> ready;
  const Result<std::size_t> count = poller->wait(ready, 0ns);
  if (!count) return std::unexpected(count.error());
  if (const Status s = poller->remove(timer->fd().get()); !s) return s;
  return poller->remove(bell->fd().get());
}

Status makes_directories(const Fd& directory) {
  const Result<Fd> self = open_directory_at(directory, ".");
  if (!self) return std::unexpected(self.error());
  if (const Status s = make_directory_at(directory, "d", 0755); !s) return s;
  const Result<std::vector<std::string>> names = names_at(directory);
  if (!names) return std::unexpected(names.error());
  return remove_directory_at(directory, "d");
}

Status reads_a_file(const Fd&) {
  const Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!is_cached_file(file)) return fail(Errc::invalid_value, "no file");
  std::array<std::byte, 4> magic{};
  if (!read_cached(file, magic, 0)) return fail(Errc::again, "not in the cache");
  return magic[1] == std::byte{'E'} ? Status() : fail(Errc::unexpected, "no program");
}

constexpr std::array kScenarios{
    Scenario{"Listens", listens},
    Scenario{"Meets", meets},
    Scenario{"ReachesTheEnd", reaches_the_end},
    Scenario{"MapsMemory", maps_memory},
    Scenario{"SharesMemory", shares_memory},
    Scenario{"Locks", locks},
    Scenario{"Polls", polls},
    Scenario{"MakesDirectories", makes_directories},
    Scenario{"ReadsAFile", reads_a_file},
};

struct NthFailureTest : testing::TestWithParam<Scenario> {
  // What a failed run may leave: a name that it could not remove. The next run's problem
  // in life, this one's in the test.
  void tidy() const {
    std::ignore = unlink_at(directory, "s");
    std::ignore = unlink_at(directory, "lock");
    std::ignore = remove_directory_at(directory, "d");
  }

  // Runs with one fault; false when the scenario made fewer calls than that.
  bool run_with(const test::Fault& fault) {
    Status status;
    bool reached = false;
    {
      test::RiggedSyscalls rig(fault);
      status = GetParam().run(directory);
      reached = rig.reached();
    }
    if (!status) {
      EXPECT_TRUE(reached) << "an error although nothing failed";
      EXPECT_STRNE(status.error().what, "") << "an error without a sentence";
    }
    tidy();
    return reached;
  }

  test::TempDir temporary;
  Fd directory = open_directory(temporary.path().c_str()).value();
};

TEST_P(NthFailureTest, IsReportedAndLeaksNothing) {
  ASSERT_TRUE(GetParam().run(directory)) << "the scenario works when nothing fails";
  const auto descriptors = test::open_descriptors();
  const std::size_t maps = test::mappings("comch-sweep");
  for (const int sys : kErrnos) {
    for (const bool sticky : {false, true}) {
      std::uint64_t nth = 1;
      for (; nth < kCallsMax; ++nth) {
        SCOPED_TRACE(testing::Message() << "call " << nth << " fails with " << strerrorname_np(sys)
                                        << (sticky ? " for ever" : " once"));
        const bool reached = run_with({.nth = nth, .sys = sys, .sticky = sticky});
        ASSERT_EQ(test::open_descriptors(), descriptors);
        ASSERT_EQ(test::mappings("comch-sweep"), maps);
        ASSERT_FALSE(HasFailure());
        if (!reached) break;
      }
      EXPECT_GT(nth, 2u) << "a scenario of no calls shows nothing";
      EXPECT_LT(nth, kCallsMax);
    }
  }
  EXPECT_TRUE(GetParam().run(directory)) << "it works again when nothing fails any more";
}

INSTANTIATE_TEST_SUITE_P(EveryCall, NthFailureTest, testing::ValuesIn(kScenarios),
                         [](const auto& scenario) { return scenario.param.name; });

}  // namespace
}  // namespace comch::os
