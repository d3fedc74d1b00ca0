// KernelIo: see kernel_io.h.
#include "kernel_io.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

namespace comch::uring {

KernelIo::KernelIo(const Options& options) : poll_(options.transfers) {
  files_.fill(-1);
  if (options.transfers == 0) return;
  submitted_.reserve(std::size_t{2} * options.transfers);
  // Each is asked for once at a time, and cancelled once: the queues hold all of it.
  if (options.without_ring || io_uring_queue_init(2 * options.transfers, &ring_, 0) != 0) return;
  state_ = State::kRing;
  if (options.without_registration) return;
  files_registered_ = io_uring_register_files(&ring_, files_.data(), kMaxFiles) == 0;
  memory_registered_ = io_uring_register_buffers_sparse(&ring_, kMaxPieces) == 0;
}

KernelIo::~KernelIo() {
  if (state_ != State::kNone) io_uring_queue_exit(&ring_);
  for (const int fd : files_) {
    if (fd >= 0) ::close(fd);
  }
}

// With a file system that hangs for longer than this, there is no choice.
bool KernelIo::drain() {
  constexpr int kPatience_ms = 10'000;
  for (int waited = 0; in_kernel_ != 0 && waited < kPatience_ms; ++waited) {
    std::int64_t res = 0;
    flush();
    while (in_kernel_ != 0 && next_completed(res) != nullptr) {
    }
    pollfd ready{.fd = has_ring() ? ring_.ring_fd : -1, .events = POLLIN, .revents = 0};
    if (in_kernel_ != 0) std::ignore = ::poll(&ready, 1, 1);
  }
  return in_kernel_ == 0;
}

// --- Registered --------------------------------------------------------------------------

int KernelIo::plain(int fd, bool fixed_file) const {
  if (!fixed_file) return fd;
  return fd >= 0 && fd < static_cast<int>(kMaxFiles) ? files_[static_cast<std::size_t>(fd)] : -1;
}

bool KernelIo::is_direct(int fd, bool fixed_file) const {
  const int flags = ::fcntl(plain(fd, fixed_file), F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0;
}

bool KernelIo::is_one_file(int a, int b) {
  struct stat one{}, other{};
  return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// The descriptor may be closed by its owner afterwards: with and without the kernel's table.
Result<int> KernelIo::register_file(int fd, FileUse use) {
  const auto free = std::ranges::find(files_, -1);
  if (free == files_.end()) return fail(Errc::full, "256 files are registered");
  Result<std::unique_ptr<ShownFile>> shown;
  if (use == FileUse::kShown) shown = ShownFile::create(fd);
  if (!shown) return std::unexpected(shown.error());
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return fail(Errc::operating_system, "the file cannot be registered", errno);
  const auto number = static_cast<unsigned>(free - files_.begin());
  if (registers_files() && io_uring_register_files_update(&ring_, number, &own, 1) != 1) {
    files_registered_ = false;  // From here on they are named by their descriptors.
  }
  *free = own;
  origins_[number] = fd;
  shown_[number] = *std::move(shown);
  direct_[number] = is_direct(own, false);
  return static_cast<int>(number);
}

Status KernelIo::unregister_file(int number) {
  const int own = plain(number, true);
  if (own < 0) return fail(Errc::invalid_value, "it is not the number of a registered file");
  constexpr int kNone = -1;
  if (registers_files()) {
    std::ignore = io_uring_register_files_update(&ring_, static_cast<unsigned>(number), &kNone, 1);
  }
  files_[static_cast<std::size_t>(number)] = -1;
  shown_[static_cast<std::size_t>(number)].reset();
  ::close(own);
  return {};
}

Status KernelIo::set_piece(std::uint32_t n, Piece piece) {
  const iovec memory{.iov_base = piece.begin, .iov_len = piece.size};
  constexpr __u64 kNoTag = 0;
  const int set = io_uring_register_buffers_update_tag(&ring_, n, &memory, &kNoTag, 1);
  if (set == -ENOMEM) {
    return fail(Errc::no_memory, "the kernel may not pin it; raise RLIMIT_MEMLOCK", -set);
  }
  if (set < 0) return fail(Errc::operating_system, "the memory cannot be registered", -set);
  pieces_[n] = piece;
  pieces_used_ = std::max(pieces_used_, n + 1);
  return {};
}

Status KernelIo::register_memory(std::span<std::byte> memory) {
  if (!registers_memory()) {
    return fail(Errc::not_supported, "this kernel has no table of memory to register in");
  }
  // Else what gives this back would give back the other, too.
  if (overlaps(memory)) return fail(Errc::already_exist, "the memory is registered");
  const std::span whole = memory;
  for (std::uint32_t n = 0; !memory.empty(); ++n) {
    while (n < kMaxPieces && pieces_[n].begin != nullptr) ++n;
    const std::size_t size = std::min<std::size_t>(memory.size(), kPieceSize);
    const Status set = n == kMaxPieces
                           ? fail(Errc::full, "64 GiB or pieces of memory are registered")
                           : set_piece(n, {.begin = memory.data(), .size = size});
    if (!set) {
      unregister_memory(whole);
      return set;
    }
    memory = memory.subspan(size);
  }
  return {};
}

// What is under way keeps its pages.
void KernelIo::unregister_memory(std::span<std::byte> memory) {
  for (std::uint32_t n = 0; n < pieces_used_; ++n) {
    const std::byte* const begin = pieces_[n].begin;
    if (begin == nullptr || begin < memory.data() || begin >= memory.data() + memory.size()) {
      continue;
    }
    std::ignore = set_piece(n, {});
    pieces_[n] = {};
  }
}

int KernelIo::find_piece(const std::byte* at) const {
  for (std::uint32_t n = 0; n < pieces_used_; ++n) {
    const Piece& piece = pieces_[n];
    if (piece.begin != nullptr && at >= piece.begin && at < piece.begin + piece.size) {
      return static_cast<int>(n);
    }
  }
  return -1;
}

bool KernelIo::overlaps(std::span<const std::byte> memory) const {
  const auto used = std::span(pieces_).first(pieces_used_);
  return std::ranges::any_of(used, [memory](const Piece& piece) {
    return piece.begin != nullptr && piece.begin < memory.data() + memory.size() &&
           memory.data() < piece.begin + piece.size;
  });
}

// --- In the kernel -----------------------------------------------------------------------

void KernelIo::fill(io_uring_sqe& sqe, const Transfer& t) const {
  const bool fixed_file = t.fixed_file && files_registered_;
  const int fd = fixed_file ? t.fd : plain(t.fd, t.fixed_file);
  if (t.polling) {
    io_uring_prep_poll_add(&sqe, fd, t.reads() ? POLLIN : POLLOUT);
  } else if (t.call == Transfer::Call::kReceive) {
    io_uring_prep_recv(&sqe, fd, t.at(), t.size(), t.flags);
  } else if (t.call == Transfer::Call::kSend) {
    io_uring_prep_send(&sqe, fd, t.at(), t.size(), MSG_NOSIGNAL);
  } else {
    std::uint64_t size = t.size();
    const bool registered = size <= kFewPages || passes_by_the_cache(t.fd, t.fixed_file);
    const int piece = registered ? find_piece(t.at()) : -1;
    if (piece >= 0) {
      const Piece& all = pieces_[static_cast<std::size_t>(piece)];
      size = std::min(size, all.size - static_cast<std::uint64_t>(t.at() - all.begin));
    }
    const int plain_op = t.reads() ? IORING_OP_READ : IORING_OP_WRITE;
    const int fixed_op = t.reads() ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
    io_uring_prep_rw(piece < 0 ? plain_op : fixed_op, &sqe, fd, t.at(), static_cast<unsigned>(size),
                     t.is_stream() ? kPosition : t.offset + t.done);
    if (piece >= 0) sqe.buf_index = static_cast<__u16>(piece);
  }
  if (fixed_file) sqe.flags |= IOSQE_FIXED_FILE;
  io_uring_sqe_set_data(&sqe, const_cast<Transfer*>(&t));
}

// Where there is nothing that one call for all of it would be better for.
bool KernelIo::read_now() {
  Transfer* const t = queue_.front();
  if (t == nullptr || t->next != nullptr || !submitted_.empty()) return false;
  if (!t->fixed_file || passes_by_the_cache(t->fd, true)) return false;
  if (!now_.attempt(*t, plain(t->fd, true))) return false;
  std::ignore = queue_.pop_front();
  return true;
}

void KernelIo::submit() {
  if (state_ != State::kRing) return move_to_poll();
  if (read_now()) return;
  while (Transfer* t = queue_.front()) {
    io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) break;  // What is left goes the next time.
    std::ignore = queue_.pop_front();
    fill(*sqe, *t);
    submitted_.push_back(t);
  }
  const int taken = io_uring_submit(&ring_);
  if (taken < 0) return on_refused(-taken);
  const auto end = submitted_.begin() + taken;
  in_kernel_ += static_cast<std::uint32_t>(
      std::count_if(submitted_.begin(), end, [](const Transfer* t) { return t != nullptr; }));
  submitted_.erase(submitted_.begin(), end);
}

void KernelIo::on_refused(int error) {
  if (error == EINTR || error == EAGAIN || error == EBUSY || error == ENOMEM) return;
  state_ = State::kLost;
  for (Transfer* t : submitted_) {
    if (t != nullptr) queue_.push_back(*t);
  }
  submitted_.clear();
  move_to_poll();
}

void KernelIo::move_to_poll() {
  while (Transfer* t = queue_.pop_front()) poll_.begin(*t, plain(t->fd, t->fixed_file));
}

void KernelIo::cancel(Transfer& transfer) {
  flush();  // It must be there to be found.
  if (poll_.cancel(transfer) || !has_ring()) return;
  io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
  if (sqe == nullptr) return;  // It ends without.
  io_uring_prep_cancel(sqe, &transfer, 0);
  io_uring_sqe_set_data64(sqe, 0);
  submitted_.push_back(nullptr);
}

Transfer* KernelIo::next_completed(std::int64_t& res) {
  while (io_uring_cq_ready(&ring_) != 0) {
    io_uring_cqe* completion = nullptr;
    if (io_uring_peek_cqe(&ring_, &completion) != 0) return nullptr;
    auto* const transfer = static_cast<Transfer*>(io_uring_cqe_get_data(completion));
    res = completion->res;
    io_uring_cqe_seen(&ring_, completion);
    if (transfer == nullptr) continue;  // Of a cancel.
    --in_kernel_;
    return transfer;
  }
  return nullptr;
}

}  // namespace comch::uring
