// openmpi: asks fastpath_mpi, which mpirun keeps running for all cells of a run.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "bench/peers/mpi_request.h"
#include "bench/peers/peers.h"
#include "support/child_process.h"
#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::bench {
namespace {

// A named pipe, open for both, so that neither side waits for the other to open it.
class Fifo {
 public:
  explicit Fifo(const std::string& path) {
    if (::mkfifo(path.c_str(), 0600) == 0) fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~Fifo() { ::close(fd_); }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  template <class T>
  void write(const T& value) const {
    if (::write(fd_, &value, sizeof value) != sizeof value) {
      throw std::system_error(errno, std::generic_category(), "a named pipe");
    }
  }
  // Nothing when it does not come in time.
  template <class T>
  std::optional<T> read(const test::Deadline& deadline) const {
    pollfd entry{.fd = fd_, .events = POLLIN, .revents = 0};
    T value{};
    if (::poll(&entry, 1, deadline.left_ms()) != 1) return std::nullopt;
    if (::read(fd_, &value, sizeof value) != sizeof value) return std::nullopt;
    return value;
  }

 private:
  int fd_ = -1;
};

class MpiProgram {
 public:
  explicit MpiProgram(const std::filesystem::path& program)
      : mpirun_(test::ChildProcess::exec(
            {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca",
             "btl", "self,vader", "--mca", "mpi_yield_when_idle", "0", "-np", "2", program.string(),
             dir_.path().string()},
            output())) {}

  // Both ranks end, and mpirun with them.
  ~MpiProgram() {
    for (const Fifo& rank : requests_) rank.write(MpiRequest{});
    mpirun_.wait();
  }
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  double measure(const Pair& pair, const Workload& workload, Duration duration) {
    MpiRequest request{
        .go_on = true, .processor = pair.asker, .workload = workload, .duration = duration};
    requests_[0].write(request);
    request.processor = pair.answerer;
    requests_[1].write(request);
    return await_figure();
  }

 private:
  std::string output() const { return dir_ / "output"; }

  double await_figure() {
    const test::Deadline deadline;
    while (!deadline.passed()) {
      const auto a_while = std::chrono::milliseconds(100);
      if (const auto figure = figures_.read<double>(test::Deadline(a_while))) return *figure;
      if (const auto exit = mpirun_.wait(test::Deadline(std::chrono::milliseconds(0)))) {
        explain(*exit);
      }
    }
    throw std::runtime_error("fastpath_mpi does not answer");
  }

  [[noreturn]] void explain(const test::Exit& exit) const {
    constexpr int kNotFound = 127;  // As of a shell.
    if (exit == test::Exit::with(kNotFound)) throw Unavailable("absent: install openmpi-bin");
    std::ifstream file(output());
    std::string line;
    while (std::getline(file, line) && line.find_first_not_of("- ") == std::string::npos) {
    }
    throw std::runtime_error("mpirun: " + line);
  }

  const test::TempDir dir_;
  const std::array<Fifo, 2> requests_{Fifo(dir_ / kMpiRequests[0]), Fifo(dir_ / kMpiRequests[1])};
  const Fifo figures_{dir_ / kMpiFigures};
  test::ChildProcess mpirun_;
};

}  // namespace

Subject openmpi(std::vector<Workload> workloads, const std::filesystem::path& programs) {
  // Started with the first sample, so that a run without one does not need it.
  const auto running = std::make_shared<std::optional<MpiProgram>>();
  return {.name = "openmpi",
          .workloads = std::move(workloads),
          .measure = [running, program = programs / "fastpath_mpi"](
                         const Pair& pair, const Workload& workload, Duration duration) {
            if (!*running) running->emplace(program);
            try {
              return (*running)->measure(pair, workload, duration);
            } catch (...) {
              running->reset();  // Else the next cell might read this one's figure.
              throw;
            }
          }};
}

}  // namespace comch::bench
