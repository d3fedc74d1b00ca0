// The fast path between the tree and programs that use the library.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <vector>

#include "attempt.h"
#include "fast_fixture.h"
#include "fast_library_peer.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using Arrived = LibraryConsumer::Arrived;

// A server in the tree, whose only client is a program.
struct FastLibraryTest : TreeTest {
  void SetUp() override {
    TreeTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_EQ(make_server("echo"), 0);
  }

  // Its consumer, running; when the program is there.
  void make_consumer() {
    ASSERT_TRUE(has_connections(at("servers/echo"), 1));
    ASSERT_EQ(make_directory(consumer_ = at("servers/echo/conn0/consumers/c0")), 0);
    ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  }

  // A producer, aimed at the program's consumer.
  void make_producer() {
    ASSERT_TRUE(has_connections(at("servers/echo"), 1));
    const fs::path remote = at("servers/echo/conn0/remote");
    ASSERT_TRUE(eventually([&] { return !list(remote).empty(); }));
    ASSERT_EQ(make_directory(producer_ = at("servers/echo/conn0/producers/p0")), 0);
    ASSERT_EQ(write_to(producer_ / "target", list(remote).front()), 0);
  }

  fs::path consumer_, producer_;
};

std::string letters(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t n = 0; n < size; ++n) text[n] = static_cast<char>('a' + n % 23);
  return text;
}

TEST_F(FastLibraryTest, MessagesOfAProgramAreReadWithTheirImmediateData) {
  const LibraryProducer program("echo", {{"hello", "one"}, {"", "two"}, {letters(300000)}});
  make_consumer();
  const File framed(consumer_ / "recv.framed");
  const std::string first = framed.wait_and_read().bytes;
  EXPECT_TRUE(first.starts_with("5 ")) << first;
  EXPECT_NE(first.find(" 6f6e65\nhello"), std::string::npos) << first;
  std::string others = first.substr(first.find("hello") + 5);
  while (others.size() < 300000) {
    const Got part = framed.wait_and_read();
    ASSERT_EQ(part.error, 0);
    others += part.bytes;
  }
  EXPECT_NE(others.find(" 74776f\n"), std::string::npos) << others.substr(0, 64);
  EXPECT_TRUE(others.ends_with(" -\n" + letters(300000)));
}

TEST_F(FastLibraryTest, MessageThatIsHandedOverIsReadAndGivenBack) {
  LibraryProducer program("echo", {{.data = letters(200000), .hands_over = true}, {"after"}});
  make_consumer();
  EXPECT_TRUE(File(consumer_ / "get").read_to_end() == got(letters(200000)));
  EXPECT_EQ(get(consumer_), got("after")) << "it waits for its buffer to come back first";
}

constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40U;

TEST_F(FastLibraryTest, MessageThatIsHandedOverCanBeReadWhenTheProgramIsDead) {
  LibraryProducer program("echo", {{.data = letters(200000), .hands_over = true}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "1"; }));
  const File recv(consumer_ / "recv");
  const File first(consumer_ / "get");
  program.process().kill(SIGKILL);
  ASSERT_TRUE(program.process().wait());
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "state") == "idle"; }));
  EXPECT_TRUE(first.read_to_end() == got(letters(200000)));
  EXPECT_EQ(recv.read(), failed(ECONNRESET));
  EXPECT_EQ(recv.read(), end_of_file());
}

TEST_F(FastLibraryTest, MessageThatIsHandedOverCanBeReadWhenTheConsumerWasStopped) {
  const LibraryProducer program("echo", {{.data = letters(200000), .hands_over = true}});
  make_consumer();
  const File recv(consumer_ / "recv");
  EXPECT_EQ(recv.wait_and_read(1000), got(letters(1000)));
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  ASSERT_TRUE(program.wait_for_return());
  EXPECT_TRUE(recv.read(199000) == got(letters(200000).substr(1000)));
}

// It is copied a part at a time.
TEST_F(FastLibraryTest, LargeMessageThatIsHandedOverCanBeReadWhenTheConsumerWasStopped) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  const std::string all = letters(12 * kPart);
  const LibraryProducer program("echo", {{.data = all, .hands_over = true}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "1"; }));
  const File recv(consumer_ / "recv");
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  ASSERT_TRUE(program.wait_for_return());
  for (std::size_t at = 0; at < all.size(); at += kPart) {
    EXPECT_TRUE(recv.read(kPart) == got(all.substr(at, kPart))) << at;
  }
}

// Of a process that is stopped (SIGSTOP): it goes on with this.
struct Standstill {
  explicit Standstill(const ChildProcess& process) : process_(process) { process.kill(SIGSTOP); }
  ~Standstill() { process_.kill(SIGCONT); }
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;

  bool has_begun() const {
    return eventually([this] { return state_of(process_.pid()) == 'T'; });
  }

 private:
  const ChildProcess& process_;
};

// The daemon finds both at a time, the messages and the stop, and serves the kernel first.
TEST_F(FastLibraryTest, MessagesThatAreHandedOverAndNotTakenWhenTheConsumerIsStoppedAreDropped) {
  const LibraryProducer program("echo", {{"before"}, {.data = letters(4096), .together = 8}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "1"; }));
  const File enable(consumer_ / "enable", O_WRONLY);
  ASSERT_TRUE(sleeps_in(tree().daemon().pid(), SYS_poll));
  std::optional<Standstill> standstill(std::in_place, tree().daemon());
  ASSERT_TRUE(standstill->has_begun());
  program.go_on();
  ASSERT_TRUE(program.wait_until_handed_over());
  const Attempt stop([&] { return failed(enable.write("0")); });
  ASSERT_TRUE(stop.is_held(SYS_write));
  standstill.reset();
  EXPECT_EQ(stop.result(), failed(0));
  EXPECT_TRUE(program.wait_for_return());
  EXPECT_EQ(value(consumer_ / "stats/messages_dropped"), "8");
  const std::string error = value(consumer_ / "error");
  EXPECT_TRUE(error.starts_with("ECANCELED: ")) << error;
  EXPECT_NE(error.find("4096 bytes"), std::string::npos) << error;
  EXPECT_EQ(get(consumer_), got("before"));
  EXPECT_EQ(get(consumer_), failed(ENXIO));
}

TEST_F(FastLibraryTest, NoSizeThatIsHandedOverIsTooMuchForTheDaemon) {
  const LibraryProducer program("echo", {{.data = {}, .untouched = kTebibyte}, {"after"}});
  make_consumer();
  EXPECT_EQ(get(consumer_), got("after"));
  EXPECT_EQ(value(consumer_ / "stats/messages_dropped"), "1");
  const std::string error = value(consumer_ / "error");
  EXPECT_TRUE(error.starts_with("EDQUOT: ")) << error;
  EXPECT_NE(error.find("1099511627776 bytes"), std::string::npos) << error;
  EXPECT_NE(error.find("user_memory="), std::string::npos) << error;
}

// Whoever mounts so says that this machine has the memory.
struct FastLibraryAmpleTest : FastLibraryTest {
  std::vector<std::string> arguments() const override { return {"-o", "user_memory=2048G"}; }
};

TEST_F(FastLibraryAmpleTest, MessageThatIsHandedOverIsReadWhereItLies) {
  const LibraryProducer program("echo", {{.data = {}, .untouched = kTebibyte}, {"after"}});
  make_consumer();
  {
    const File recv(consumer_ / "recv");
    EXPECT_EQ(recv.read(4096), got(std::string(4096, '\0')));
    EXPECT_EQ(recv.read(4096), got(std::string(4096, '\0')));
  }
  EXPECT_EQ(get(consumer_), got("after")) << "what was not read of it is dropped";
  EXPECT_EQ(value(consumer_ / "stats/messages_dropped"), "1");
}

// The memory that a program hands over untouched.
File untouched_memory(const ChildProcess& program) {
  const fs::path descriptors = fs::path("/proc") / std::to_string(program.pid()) / "fd";
  for (const auto& one : fs::directory_iterator(descriptors)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(one.path(), gone).string();
    if (!gone && target.starts_with("/memfd:untouched")) return File(one.path());
  }
  return File::adopt(-1);
}

blkcnt_t blocks_of(const File& memory) {
  struct stat all{};
  return ::fstat(memory.fd(), &all) == 0 ? all.st_blocks : -1;
}

TEST_F(FastLibraryTest, ReadingMemoryThatIsHandedOverMakesNoPagesThatItsProgramNeverWrote) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  LibraryProducer program("echo", {{.data = {}, .untouched = 4 * kPart}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "1"; }));
  const File memory = untouched_memory(program.process());
  EXPECT_EQ(blocks_of(memory), 0);
  const File recv(consumer_ / "recv");
  EXPECT_TRUE(recv.read(kPart) == got(std::string(kPart, '\0')));
  EXPECT_EQ(blocks_of(memory), 0) << "it is read";
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  ASSERT_TRUE(program.wait_for_return());
  EXPECT_EQ(blocks_of(memory), 0) << "the rest is copied";
  EXPECT_TRUE(recv.read(kPart) == got(std::string(kPart, '\0')));
}

struct FastLibraryQuotaTest : FastLibraryTest {
  std::vector<std::string> arguments() const override { return {"-o", "user_memory=1M"}; }
};

TEST_F(FastLibraryQuotaTest, MessagesThatAreHandedOverCountForWhoeverHasTheConsumer) {
  constexpr std::size_t kFits = 700000;
  const LibraryProducer program("echo", {{.data = letters(kFits), .hands_over = true},
                                         {.data = letters(2 * kFits), .hands_over = true},
                                         {.data = letters(kFits), .hands_over = true}});
  make_consumer();
  EXPECT_TRUE(File(consumer_ / "get").read_to_end() == got(letters(kFits)));
  EXPECT_TRUE(File(consumer_ / "get").read_to_end() == got(letters(kFits)));
  EXPECT_EQ(value(consumer_ / "stats/messages_dropped"), "1");
}

TEST_F(FastLibraryQuotaTest, LongMessageOfWhichAHandedOverPartWasTooMuchIsCutShort) {
  const LibraryProducer program(
      "echo", {{"one ", "comchfs+"},
               {.data = letters(2000000), .immediate = "comchfs.", .hands_over = true},
               {"next"}});
  make_consumer();
  const Got message = File(consumer_ / "get").read_to_end();
  EXPECT_EQ(message.bytes, "one ");
  EXPECT_EQ(message.error, ECONNRESET);
  EXPECT_EQ(get(consumer_), got("next"));
}

TEST_F(FastLibraryTest, MessageCanBeReadWhenTheProgramIsDead) {
  LibraryProducer program("echo", {{"last words"}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "1"; }));
  const File recv(consumer_ / "recv");
  program.process().kill(SIGKILL);
  ASSERT_TRUE(program.process().wait());
  EXPECT_EQ(recv.read(), got("last words"));
  EXPECT_EQ(recv.read(), failed(ECONNRESET));
  EXPECT_EQ(recv.read(), end_of_file());
}

TEST_F(FastLibraryTest, ReaderWhoWaitsHearsThatTheProgramDied) {
  LibraryProducer program("echo", {});
  make_consumer();
  const Attempt first([&] { return get(consumer_); });
  ASSERT_TRUE(first.is_held(SYS_read));
  const File recv(consumer_ / "recv");
  program.process().kill(SIGKILL);
  EXPECT_EQ(first.result(), failed(ECONNRESET));
  EXPECT_EQ(recv.read(), failed(ECONNRESET));
  EXPECT_EQ(recv.read(), end_of_file());
}

TEST_F(FastLibraryTest, ProgramThatDiesWithinAPutEndsItsReader) {
  LibraryProducer program("echo", {{"the beginning", "comchfs+"}});
  make_consumer();
  const Attempt reader([&] { return File(consumer_ / "get").read_to_end(); });
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/rx_msgs") == "1"; }));
  program.process().kill(SIGKILL);
  const Got message = reader.result();
  EXPECT_EQ(message.bytes, "the beginning");
  EXPECT_EQ(message.error, ECONNRESET);
}

TEST_F(FastLibraryTest, MarksOfAProgramAreBelieved) {
  const LibraryProducer program(
      "echo", {{"one ", "comchfs+"}, {"", "comchfs+"}, {"two", "comchfs."}, {"x", "comchfs"}});
  make_consumer();
  EXPECT_EQ(File(consumer_ / "get").read_to_end(), got("one two"));
  EXPECT_EQ(get(consumer_), got("x")) << "no mark";
}

TEST_F(FastLibraryTest, MessageWithoutAMarkWithinALongerOneIsAnotherAndCutsItShort) {
  const LibraryProducer program("echo", {{"one ", "comchfs+"}, {"alone"}, {"next"}});
  make_consumer();
  ASSERT_TRUE(eventually([&] { return value(consumer_ / "stats/waiting") == "3"; }));
  const Got message = File(consumer_ / "get").read_to_end();
  EXPECT_EQ(message.bytes, "one ");
  EXPECT_EQ(message.error, ECONNRESET);
  EXPECT_EQ(get(consumer_), got("alone"));
  EXPECT_EQ(get(consumer_), got("next"));
}

struct FastLibraryMemoryTest : FastLibraryTest, testing::WithParamInterface<Memory> {};

TEST_P(FastLibraryMemoryTest, ProgramSeesThePartsOfALongPutAndTheirMarks) {
  LibraryConsumer program("echo", {.buffers = 4, .buffer_size = 100, .memory = GetParam()});
  make_producer();
  ASSERT_EQ(write_to(producer_ / "imm", "696d6d"), 0);
  const std::string message = letters(1000);
  ASSERT_EQ(put(producer_, message), 0);
  std::string whole;
  std::size_t parts = 0;
  for (std::string mark = "comchfs+"; mark == "comchfs+"; ++parts) {
    const Arrived part = program.next();
    ASSERT_FALSE(part.immediate.empty())
        << "after " << whole.size() << " bytes; " << value(producer_ / "error") << ' '
        << value(producer_ / "stats.json");
    EXPECT_LE(part.data.size(), 100U);
    whole += part.data;
    mark = part.immediate.substr(0, 8);
    EXPECT_EQ(part.immediate.substr(8), parts == 0 ? "imm" : "");
  }
  EXPECT_EQ(whole, message);
  EXPECT_GE(parts, 10U);
}

TEST_P(FastLibraryMemoryTest, ProgramGetsShortMessagesAsTheyAre) {
  LibraryConsumer program("echo", {.buffers = 2, .buffer_size = 100, .memory = GetParam()});
  make_producer();
  EXPECT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(send(producer_, letters(101)), EMSGSIZE);
  EXPECT_EQ(put(producer_, letters(100)), 0);
  EXPECT_EQ(put(producer_, ""), 0);
  EXPECT_EQ(send(producer_, "bye"), 0);
  EXPECT_EQ(program.next(), (Arrived{"hello", ""}));
  EXPECT_EQ(program.next(), (Arrived{letters(100), ""}));
  EXPECT_EQ(program.next(), (Arrived{"", ""}));
  EXPECT_EQ(program.next(), (Arrived{"bye", ""}));
}

TEST_P(FastLibraryMemoryTest, MebibytesArriveWhole) {
  LibraryConsumer program("echo", {.buffers = 2, .buffer_size = 1UL << 20U, .memory = GetParam()});
  make_producer();
  const std::string message = letters(5UL << 20U);
  const Attempt writer([&] { return failed(put(producer_, message)); });
  std::string whole;
  for (bool is_last = false; !is_last;) {
    const Arrived part = program.next();
    ASSERT_FALSE(part.immediate.empty()) << "after " << whole.size() << " bytes";
    whole += part.data;
    is_last = part.immediate == "comchfs.";
  }
  EXPECT_TRUE(whole == message);
  EXPECT_EQ(writer.result(), failed(0));
}

TEST_P(FastLibraryMemoryTest, ConsumerOfAProgramThatDiesIsEpipe) {
  LibraryConsumer program("echo", {.buffers = 2, .buffer_size = 100, .memory = GetParam()});
  make_producer();
  EXPECT_EQ(send(producer_, "hello"), 0);
  const File out(producer_ / "send", O_WRONLY | O_NONBLOCK);
  program.process().kill(SIGKILL);
  int error = 0;
  EXPECT_TRUE(eventually([&] {
    error = out.write("more");
    return error != 0 && error != EAGAIN;
  }));
  EXPECT_EQ(error, EPIPE) << value(producer_ / "error");
}

INSTANTIATE_TEST_SUITE_P(All, FastLibraryMemoryTest,
                         testing::Values(Memory::kShared, Memory::kPrivate), [](const auto& given) {
                           return given.param == Memory::kShared ? "shared" : "private";
                         });

}  // namespace
}  // namespace comch::test
