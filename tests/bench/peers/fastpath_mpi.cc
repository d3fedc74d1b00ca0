// fastpath_mpi: the two ranks of the openmpi cells. Rank 0 asks or receives, rank 1 answers or
// sends; each does one request after the other, as it comes through the rank's named pipe, and
// sleeps in between.
//
//   mpirun -np 2 fastpath_mpi DIRECTORY       mpi_request.h says what is in it
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/last_message.h"
#include "bench/peers/mpi_request.h"
#include "bench/peers/roles.h"
#include "bench/placement.h"

namespace {

using namespace comch::bench;

constexpr int kTag = 1;

int size_of(std::span<const std::byte> message) { return static_cast<int>(message.size()); }

// One message at a time, with the calls that wait.
class Caller {
 public:
  Caller(std::size_t bytes, int other) : message_(bytes), other_(other) {}

  void send() {
    MPI_Send(message_.data(), size_of(message_), MPI_BYTE, other_, kTag, MPI_COMM_WORLD);
  }
  void send_last() {
    end_with(message_);
    send();
  }
  bool receive() {
    MPI_Recv(message_.data(), size_of(message_), MPI_BYTE, other_, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return !is_last(message_);
  }

 private:
  std::vector<std::byte> message_;
  const int other_;
};

// Messages under way at once: many small ones, and a few that still stay in a cache.
std::size_t window_of(std::size_t bytes) { return bytes < 64 * kKib ? 64 : 4; }

class WindowSender {
 public:
  WindowSender(std::size_t bytes, int other)
      : message_(bytes), other_(other), under_way_(window_of(bytes), MPI_REQUEST_NULL) {}

  void send() {
    MPI_Request& request = under_way_[number_++ % under_way_.size()];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(message_.data(), size_of(message_), MPI_BYTE, other_, kTag, MPI_COMM_WORLD, &request);
  }
  void send_last() {
    finish();
    end_with(message_);
    send();
    finish();
  }

 private:
  void finish() {
    MPI_Waitall(static_cast<int>(under_way_.size()), under_way_.data(), MPI_STATUSES_IGNORE);
  }

  std::vector<std::byte> message_;
  const int other_;
  std::vector<MPI_Request> under_way_;
  std::size_t number_ = 0;
};

class WindowReceiver {
 public:
  WindowReceiver(std::size_t bytes, int other)
      : other_(other),
        posted_(window_of(bytes), MPI_REQUEST_NULL),
        messages_(posted_.size(), std::vector<std::byte>(bytes)) {
    for (std::size_t i = 0; i < posted_.size(); ++i) post(i);
  }
  ~WindowReceiver() {
    for (MPI_Request& request : posted_) {
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  WindowReceiver(const WindowReceiver&) = delete;
  WindowReceiver& operator=(const WindowReceiver&) = delete;

  bool receive() {
    const std::size_t next = number_++ % posted_.size();
    MPI_Wait(&posted_[next], MPI_STATUS_IGNORE);
    if (is_last(messages_[next])) return false;
    post(next);
    return true;
  }

 private:
  void post(std::size_t index) {
    std::vector<std::byte>& message = messages_[index];
    MPI_Irecv(message.data(), size_of(message), MPI_BYTE, other_, kTag, MPI_COMM_WORLD,
              &posted_[index]);
  }

  const int other_;
  std::vector<MPI_Request> posted_;
  std::vector<std::vector<std::byte>> messages_;
  std::size_t number_ = 0;
};

// The figure, from rank 0; nothing from rank 1.
std::optional<double> do_round_trips(const MpiRequest& request, int rank) {
  Caller caller(request.workload.bytes, 1 - rank);
  if (rank == 0) return round_trip_ns(caller, caller, request.duration);
  echo(caller, caller);
  return std::nullopt;
}

std::optional<double> do_one_way(const MpiRequest& request, int rank) {
  const std::size_t bytes = request.workload.bytes;
  const std::size_t burst = burst_of(request.workload);
  if (rank == 0) {
    WindowReceiver receiver(bytes, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    return receive_rate(receiver, burst);
  }
  WindowSender sender(bytes, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  send_for(sender, request.duration, burst);
  return std::nullopt;
}

// Until it is asked to end, or fastpath_bench has gone.
void serve(int requests, int figures, int rank) {
  MpiRequest request;
  while (::read(requests, &request, sizeof request) == sizeof request && request.go_on) {
    run_on(request.processor);
    MPI_Barrier(MPI_COMM_WORLD);
    const auto figure = request.workload.shape == Shape::kRoundTrip ? do_round_trips(request, rank)
                                                                    : do_one_way(request, rank);
    if (figure && ::write(figures, &*figure, sizeof *figure) != sizeof *figure) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const std::string dir = std::string(argv[1]) + "/";
    const auto which = static_cast<std::size_t>(rank);
    const int requests = ::open((dir + kMpiRequests[which]).c_str(), O_RDONLY | O_CLOEXEC);
    const int figures = ::open((dir + kMpiFigures).c_str(), O_WRONLY | O_CLOEXEC);
    serve(requests, figures, rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fastpath_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
