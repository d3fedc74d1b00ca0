// uring_send_files: sends the files of a directory to uring_receive_files, which says when all
// of them are there and whole.
//
//   uring_send_files --name files --from DIRECTORY
//
// The kernel reads each piece of a file into a buffer that the receiver has posted: no byte
// passes through this program but for the checksum. A few pieces are under way at a time, and
// what goes beside them says where they belong, because they may arrive in any order.
#include <comch/comch.h>
#include <comch/uring/ring.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "file_piece.h"
#include "options.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 8;          // Pieces under way.
constexpr std::uint64_t kAnswer = kAtOnce;  // Whose completion: else it is a piece's number.
constexpr std::size_t kMessageSize = 4080;  // What connections have when nobody says else.

comch::Error failure(int error, const char* what) {
  return {comch::Errc::operating_system, error, what};
}

class SendFiles {
 public:
  SendFiles(comch::ProgressEngine& engine, comch::Client& client, uring::Ring& ring)
      : engine_(engine), client_(client), ring_(ring) {}
  ~SendFiles() {
    if (control_ != nullptr) std::ignore = ring_.unregister(*control_);
    if (producer_ != nullptr) std::ignore = producer_->abort();
    while (producer_ != nullptr && producer_->state() != comch::ContextState::kIdle) {
      engine_.wait(100ms);
    }
    if (to_ != nullptr) std::ignore = ring_.unregister(*to_);
    for (const int fd : opened_) ::close(fd);
  }
  SendFiles(const SendFiles&) = delete;
  SendFiles& operator=(const SendFiles&) = delete;

  // Until there is a consumer to send to.
  comch::Status connect() {
    const auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    const auto deliver = [this](comch::Connection& from, std::span<const std::byte> message) {
      return ring_.on_message(from, message);
    };
    const auto come = [this](comch::Connection&, comch::ConsumerId id) { consumer_ = id; };
    const auto gone = [](comch::Connection&, comch::ConsumerId) {};
    if (auto s = client_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = client_.on_message(deliver); !s) return s;
    if (auto s = client_.on_consumer(come, gone); !s) return s;
    if (auto s = engine_.connect(client_); !s) return s;
    if (auto s = client_.start(); !s) return std::unexpected(s.error());
    while (client_.state() != comch::ContextState::kIdle && consumer_ == comch::ConsumerId{}) {
      engine_.wait(1s);
    }
    if (consumer_ == comch::ConsumerId{}) return std::unexpected(client_.failure().error);
    return make_producer();
  }

  // All of them, and the receiver's word of it.
  comch::Result<std::string> send(const std::string& directory) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      if (auto s = send_file(entry.path()); !s) return std::unexpected(s.error());
    }
    while (under_way_ > 0) {
      if (auto s = wait(); !s) return std::unexpected(s.error());
    }
    next(kAnswer).prep_ctrl_recv(*control_, answer_);
    send_beside(FilePiece());  // The end.
    while (answer_length_ < 0) {
      if (auto s = wait(); !s) return std::unexpected(s.error());
    }
    const auto* const text = reinterpret_cast<const char*>(answer_.data());
    return std::string(text, static_cast<std::size_t>(answer_length_));
  }

 private:
  struct Slot {
    std::array<std::byte, FilePiece::kSize> beside;
    std::uint64_t length = 0;
    bool free = true;
  };

  comch::Status make_producer() {
    const auto connection = client_.connection();
    if (!connection) return std::unexpected(connection.error());
    auto producer = comch::Producer::create(**connection);
    if (!producer) return std::unexpected(producer.error());
    producer_ = std::move(*producer);
    if (auto s = ring_.prepare(*producer_); !s) return s;
    if (auto s = engine_.connect(*producer_); !s) return s;
    if (auto s = producer_->start(); !s) return std::unexpected(s.error());
    const auto to = ring_.register_destination(*producer_, consumer_);
    if (!to) return std::unexpected(to.error());
    to_ = *to;
    const auto control = ring_.register_control(**connection);
    if (!control) return std::unexpected(control.error());
    control_ = *control;
    // A little faster where it is to be had; all works without.
    std::ignore = ring_.register_memory(*to_);
    return {};
  }

  comch::Status send_file(const std::filesystem::path& path) {
    FilePiece piece;
    const std::string name = path.filename();
    if (name.size() > FilePiece::kMostName) return std::unexpected(failure(ENAMETOOLONG, "a name"));
    std::ranges::copy(name, piece.name.begin());
    piece.size = std::filesystem::file_size(path);
    piece.checksum = checksum_of(path);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::unexpected(failure(errno, "a file cannot be opened"));
    opened_.push_back(fd);
    if (piece.size == 0) return send_empty(piece);
    for (; piece.offset < piece.size; piece.offset += FilePiece::kMostBytes) {
      if (auto s = send_piece(fd, piece); !s) return s;
    }
    return {};
  }
  comch::Status send_piece(int fd, const FilePiece& piece) {
    while (under_way_ == kAtOnce) {
      if (auto s = wait(); !s) return s;
    }
    const auto slot = std::ranges::find(slots_, true, &Slot::free);
    slot->free = false;
    slot->beside = piece.bytes();
    slot->length = std::min<std::uint64_t>(FilePiece::kMostBytes, piece.size - piece.offset);
    ++under_way_;
    next(static_cast<std::uint64_t>(slot - slots_.begin()))
        .prep_send_file(*to_, fd, slot->length, piece.offset, slot->beside);
    return {};
  }
  comch::Status send_empty(const FilePiece& piece) {
    while (under_way_ == kAtOnce) {
      if (auto s = wait(); !s) return s;
    }
    send_beside(piece);
    return {};
  }
  void send_beside(const FilePiece& piece) {
    const auto slot = std::ranges::find(slots_, true, &Slot::free);
    slot->free = false;
    slot->beside = piece.bytes();
    slot->length = 0;
    ++under_way_;
    next(static_cast<std::uint64_t>(slot - slots_.begin())).prep_send_imm(*to_, {}, slot->beside);
  }

  // There are places for all slots, and one for the answer.
  uring::Submission& next(std::uint64_t user_data) {
    uring::Submission* s = ring_.get();
    if (s == nullptr) {
      std::ignore = ring_.submit();
      s = ring_.get();
    }
    s->user_data = user_data;
    return *s;
  }
  comch::Status wait() {
    const auto ready = ring_.submit_and_wait(1, 1s);
    if (!ready && ready.error().code != comch::Errc::time_out) {
      return std::unexpected(ready.error());
    }
    comch::Status all;
    ring_.advance(ring_.for_each([&](const uring::Completion& completion) {
      if (const comch::Status s = on_completion(completion); !s) all = s;
    }));
    if (client_.state() != comch::ContextState::kRunning && all) {
      return std::unexpected(client_.failure().error);
    }
    return all;
  }
  comch::Status on_completion(const uring::Completion& completion) {
    if (completion.res < 0) {
      return std::unexpected(failure(static_cast<int>(-completion.res), "a piece is not sent"));
    }
    if (completion.user_data == kAnswer) {
      answer_length_ = completion.res;
      return {};
    }
    Slot& slot = slots_[completion.user_data];
    slot.free = true;
    --under_way_;
    const bool whole = static_cast<std::uint64_t>(completion.res) >= slot.length;
    return whole ? comch::Status() : std::unexpected(failure(EIO, "a file has become shorter"));
  }

  comch::ProgressEngine& engine_;
  comch::Client& client_;
  uring::Ring& ring_;
  comch::ConsumerId consumer_{};
  std::unique_ptr<comch::Producer> producer_;
  uring::Destination* to_ = nullptr;
  uring::Control* control_ = nullptr;
  std::array<Slot, kAtOnce + 1> slots_{};
  std::size_t under_way_ = 0;
  std::vector<int> opened_;  // Closed when nothing is read any more.
  std::array<std::byte, kMessageSize> answer_{};
  std::int64_t answer_length_ = -1;
};

int fail(const comch::Error& error) {
  std::cerr << "uring_send_files: " << comch::describe(error) << '\n';
  return 1;
}

int run(const Options& options) {
  const std::filesystem::path from = options.text("--from", ".");
  if (!std::filesystem::is_directory(from)) return fail(failure(ENOTDIR, "--from is no directory"));
  const auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto client = comch::Client::create(*device, options.text("--name", "files"));
  if (!client) return fail(client.error());
  auto ring = uring::Ring::create(**engine);
  if (!ring) return fail(ring.error());
  SendFiles files(**engine, **client, **ring);
  if (auto s = files.connect(); !s) return fail(s.error());
  const auto answer = files.send(from);
  if (!answer) return fail(answer.error());
  std::cout << *answer << '\n';
  return answer->starts_with("all ") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(Options(argc, argv, {"--name", "--from"})); }
