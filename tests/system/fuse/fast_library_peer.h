// LibraryProducer and LibraryConsumer: programs with one end of the fast path, as peers of a
// server of the tree.
//
//   LibraryProducer sender("echo", {{"hello", "imm"}});    // To the first consumer there is.
//   LibraryConsumer receiver("echo", {.buffers = 4, .buffer_size = 100});
//   EXPECT_EQ(receiver.next(), (Arrived{"hello", "imm"}));
//
// Threads: fork; make them before the test starts threads.
// Lifetime: the process ends with the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "file.h"
#include "support/child_process.h"

namespace comch::test {

// How a library's end keeps its data.
enum class Memory : std::uint8_t {
  kShared,   // The other side maps it.
  kPrivate,  // It cannot, and data is copied twice.
};

class LibraryProducer {
 public:
  struct Sending {
    std::string data;
    std::string immediate = {};
    bool hands_over = false;      // The data is read where it lies.
    std::uint64_t untouched = 0;  // Instead of data: hands over so many bytes that nobody wrote.
    std::uint32_t together = 0;   // Hands over the data so many times at once, when it may go on.
  };
  LibraryProducer(const std::string& server, std::vector<Sending> messages);

  void go_on() const { gates_.may_go_on.open(); }
  // Where that was to be so many times at once.
  [[nodiscard]] bool wait_until_handed_over() const { return gates_.handed_over.wait(); }
  // What it handed over has come back, and it has written over it.
  [[nodiscard]] bool wait_for_return() const { return gates_.returned.wait(); }
  ChildProcess& process() { return process_; }

  struct Gates {
    Gate may_go_on, handed_over, returned;
  };

 private:
  Gates gates_;
  ChildProcess process_;
};

class LibraryConsumer {
 public:
  struct Options {
    std::uint32_t buffers = 4;
    std::size_t buffer_size = 100;
    Memory memory = Memory::kShared;
  };
  struct Arrived {
    std::string data;
    std::string immediate;

    friend bool operator==(const Arrived&, const Arrived&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Arrived& arrived) {
      return out << arrived.data.size() << " bytes, immediate \"" << arrived.immediate << '"';
    }
  };
  LibraryConsumer(const std::string& server, const Options& options);

  // What arrived next; empty when nothing did before the deadline.
  Arrived next();
  ChildProcess& process() { return process_; }

 private:
  struct Pipe {
    File out, in;
  };
  static Pipe pipe();
  LibraryConsumer(Pipe pipe, const std::string& server, const Options& options);
  std::string read_exactly(std::size_t size);

  File answers_;
  ChildProcess process_;
};

}  // namespace comch::test
