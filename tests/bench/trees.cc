// Trees: files kept open, a write and a read in turn.
#include "bench/trees.h"

#include <fcntl.h>

#include "bench/processes.h"

namespace comch::bench {
namespace {

constexpr int kMessageBytes = 64;
constexpr int kExchangesPerBatch = 4;  // A pair of operations takes 15-20 us.

// Caller and daemon share the processor, so that no other one has to be woken.
double exchange_ns(const MountedProgram& tree, Duration duration, const File& send,
                   const File& receive, const std::string& bytes) {
  const int processor = any_pair().asker;
  tree.keep_on(processor);
  return measure_on(processor, [&] {
    std::string got(bytes.size(), '\0');
    return median_ns(
        duration,
        [&] {
          send.write(bytes);
          receive.read(got);
        },
        kExchangesPerBatch);
  });
}

}  // namespace

BareTree::BareTree(const std::filesystem::path& program) : tree_(program, {}, "file") {}

double BareTree::write_and_read_ns(Duration duration, std::size_t bytes) const {
  const File file = tree_.open("file", O_RDWR);
  return exchange_ns(tree_, duration, file, file, std::string(bytes, 'x'));
}

ComchTree::ComchTree(const std::filesystem::path& program) : tree_(program, {"-f"}, "version") {
  std::filesystem::create_directory(tree_ / "servers/bench");
  std::filesystem::create_directory(tree_ / "clients/bench");
  tree_.open("clients/bench/server", O_WRONLY).write("bench");
}

double ComchTree::exchange_ns(Duration duration, const char* send, const char* receive,
                              const std::string& bytes) const {
  const File sending = tree_.open(std::string("clients/bench/conn/") + send, O_WRONLY);
  const File receiving = tree_.open(std::string("servers/bench/conn0/") + receive, O_RDONLY);
  return bench::exchange_ns(tree_, duration, sending, receiving, bytes);
}

double ComchTree::write_and_read_ns(Duration duration) const {
  return exchange_ns(duration, "send", "recv", std::string(kMessageBytes, 'x'));
}

double ComchTree::framed_write_and_read_ns(Duration duration, int messages) const {
  std::string frames;
  for (int i = 0; i < messages; ++i) {
    frames += std::to_string(kMessageBytes) + "\n" + std::string(kMessageBytes, 'x');
  }
  return exchange_ns(duration, "send.framed", "recv.framed", frames);
}

}  // namespace comch::bench
