// Processes: forks, and a page for the result.
#include "bench/processes.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace comch::bench {

double ask(const Pair& pair, const std::function<void(const Gate& ready)>& answerer,
           const std::function<double()>& asker) {
  const SharedMemory<double> result;
  const Gate ready;
  auto answering = test::ChildProcess::run([&] {
    run_on(pair.answerer);
    answerer(ready);
    return 0;
  });
  auto asking = test::ChildProcess::run([&] {
    run_on(pair.asker);
    if (!ready.wait()) throw std::runtime_error("the answering process did not get ready");
    *result = asker();
    return 0;
  });
  if (asking.wait() != test::Exit::with(0)) {
    throw std::runtime_error("the asking process failed");
  }
  if (answering.wait() != test::Exit::with(0)) {
    throw std::runtime_error("the answering process failed");
  }
  return *result;
}

double measure_on(int processor, const std::function<double()>& body) {
  const SharedMemory<double> result;
  auto process = test::ChildProcess::run([&] {
    run_on(processor);
    *result = body();
    return 0;
  });
  if (process.wait() != test::Exit::with(0)) throw std::runtime_error("the process failed");
  return *result;
}

// Changes nothing, whatever the other side may have written already.
void touch_pages(std::span<std::byte> memory) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t at = 0; at < memory.size(); at += kPage) {
    std::atomic_ref(reinterpret_cast<unsigned char&>(memory[at]))
        .fetch_or(0, std::memory_order_relaxed);
  }
}

SharedPages::SharedPages(std::size_t bytes)
    : bytes_(bytes),
      data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
  if (data_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
}

SharedPages::~SharedPages() { ::munmap(data_, bytes_); }

}  // namespace comch::bench
