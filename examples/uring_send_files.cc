// uring_send_files: sends the files of a directory to uring_receive_files, which says when all
// of them are there and whole.
//
//   uring_send_files --name files --from DIRECTORY
//
// The kernel reads each piece of a file into a buffer that the receiver has posted: no byte
// passes through this program but for the checksum. The receiver, who gets all of a file anyway, is
// shown it, and reads a part of each long piece itself. A few pieces are under way at a time, and
// what goes beside them says where they belong, because they may arrive in any order.
//
// Links are followed. What is left out is told, each in a line: directories and whatever else is no
// file; and files that cannot be sent, after which the program ends with 1.
#include <comch/comch.h>
#include <comch/uring/ring.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "file_piece.h"
#include "options.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 8;          // Pieces under way.
constexpr std::uint64_t kAnswer = kAtOnce;  // Whose completion: else it is a piece's number.
constexpr std::uint64_t kEnded = kAnswer + 1;
constexpr std::size_t kMessageSize = 4080;  // What connections have when nobody says else.

comch::Error failure(int error, const char* what) {
  return {comch::Errc::operating_system, error, what};
}

void say(const std::filesystem::path& of, std::string_view what) {
  std::cerr << "uring_send_files: " << of.string() << ": " << what << '\n';
}

// What is to be sent.
struct Files {
  std::vector<std::filesystem::path> paths;
  bool all = true;  // False: some are left out.

  void leave_out(const std::filesystem::path& path, int error) {
    say(path, "left out: " + std::generic_category().message(error));
    all = false;
  }
  void add(const std::filesystem::path& path) {
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0) return leave_out(path, errno);
    if (!S_ISREG(about.st_mode)) return say(path, "left out: it is no file");
    if (path.filename().native().size() > FilePiece::kMostName) {
      return leave_out(path, ENAMETOOLONG);
    }
    paths.push_back(path);
  }
};

// Nothing: it cannot be read, and that is told.
std::optional<Files> files_of(const std::filesystem::path& directory) {
  Files files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    files.add(entry->path());
  }
  if (!error) return files;
  const bool none =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  say(directory, (none ? "no directory: " : "the directory cannot be read: ") + error.message());
  return std::nullopt;
}

// One that is sent: open until the last of its pieces is.
class OpenFile {
 public:
  // The ring outlives it.
  OpenFile(const std::filesystem::path& path, uring::Ring& ring)
      : path_(path), ring_(ring), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (number_ >= 0) std::ignore = ring_.unregister_file(number_);
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  int fd() const { return fd_; }
  comch::Status show() {
    const auto number = ring_.register_file(fd_, uring::FileUse::kShown);
    if (!number) return std::unexpected(number.error());
    number_ = *number;
    return {};
  }
  int number() const { return number_; }

 private:
  const std::filesystem::path path_;
  uring::Ring& ring_;
  const int fd_;
  int number_ = -1;  // Of the ring's files.
};

class SendFiles {
 public:
  SendFiles(comch::ProgressEngine& engine, comch::Client& client, std::unique_ptr<uring::Ring> ring)
      : engine_(engine), client_(client), ring_(std::move(ring)) {}
  ~SendFiles() {
    for (Slot& slot : slots_) slot.file.reset();
    // Ends what is read from files: the room that it is read into is the producer's.
    ring_.reset();
    if (producer_ != nullptr) std::ignore = producer_->abort();
    while (producer_ != nullptr && producer_->state() != comch::ContextState::kIdle) {
      engine_.wait(100ms);
    }
  }
  SendFiles(const SendFiles&) = delete;
  SendFiles& operator=(const SendFiles&) = delete;

  // Until there is a consumer to send to.
  comch::Status connect() {
    const auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    const auto deliver = [this](comch::Connection& from, std::span<const std::byte> message) {
      return ring_ ? ring_->on_message(from, message) : comch::Receipt::kKeep;
    };
    const auto come = [this](comch::Connection&, comch::ConsumerId id) { consumer_ = id; };
    const auto gone = [](comch::Connection&, comch::ConsumerId) {};
    if (auto s = client_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = client_.on_message(deliver); !s) return s;
    if (auto s = client_.on_consumer(come, gone); !s) return s;
    client_.on_state_changed([this](comch::Context&, comch::ContextState, comch::ContextState now) {
      if (ring_ && now != comch::ContextState::kRunning) end_wait();
    });
    if (auto s = engine_.connect(client_); !s) return s;
    if (auto s = client_.start(); !s) return std::unexpected(s.error());
    while (client_.state() != comch::ContextState::kIdle && consumer_ == comch::ConsumerId{}) {
      engine_.wait(1s);
    }
    if (consumer_ == comch::ConsumerId{}) return std::unexpected(client_.failure().error);
    return make_producer();
  }

  // All of them, and the receiver's word of it.
  comch::Result<std::string> send(Files& files) {
    for (const auto& path : files.paths) {
      if (auto s = send_file(path, files); !s) return std::unexpected(s.error());
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
  // The file that an error of send() is about; empty: it is about none.
  const std::filesystem::path& failed() const { return failed_; }

 private:
  struct Slot {
    std::shared_ptr<const OpenFile> file;
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
    if (auto s = ring_->prepare(*producer_); !s) return s;
    if (auto s = engine_.connect(*producer_); !s) return s;
    if (auto s = producer_->start(); !s) return std::unexpected(s.error());
    const auto to = ring_->register_destination(*producer_, consumer_);
    if (!to) return std::unexpected(to.error());
    to_ = *to;
    const auto control = ring_->register_control(**connection);
    if (!control) return std::unexpected(control.error());
    control_ = *control;
    // A little faster where it is to be had; all works without.
    std::ignore = ring_->register_memory(*to_);
    return {};
  }

  comch::Status send_file(const std::filesystem::path& path, Files& files) {
    const auto file = std::make_shared<OpenFile>(path, *ring_);
    struct stat about{};
    if (file->fd() < 0 || ::fstat(file->fd(), &about) != 0) {
      files.leave_out(path, errno);
      return {};
    }
    FilePiece piece;
    std::ranges::copy(path.filename().native(), piece.name.begin());
    piece.size = static_cast<std::uint64_t>(about.st_size);
    piece.checksum = checksum_of(file->fd());
    if (piece.size == 0) return send_empty(piece);
    if (auto s = file->show(); !s) return s;
    for (; piece.offset < piece.size; piece.offset += FilePiece::kMostBytes) {
      if (auto s = send_piece(file, piece); !s) return s;
    }
    return {};
  }
  comch::Status send_piece(const std::shared_ptr<const OpenFile>& file, const FilePiece& piece) {
    while (under_way_ == kAtOnce) {
      if (auto s = wait(); !s) return s;
    }
    const std::uint64_t length = std::min(FilePiece::kMostBytes, piece.size - piece.offset);
    const std::uint64_t n = take_slot(file, piece, length);
    uring::Submission& submission = next(n);
    submission.prep_send_file(*to_, file->number(), length, piece.offset, slots_[n].beside);
    submission.flags = uring::kFixedFile;
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
    const std::uint64_t n = take_slot(nullptr, piece, 0);
    next(n).prep_send_imm(*to_, {}, slots_[n].beside);
  }
  std::uint64_t take_slot(std::shared_ptr<const OpenFile> file, const FilePiece& piece,
                          std::uint64_t length) {
    const auto slot = std::ranges::find(slots_, true, &Slot::free);
    *slot = {.file = std::move(file), .beside = piece.bytes(), .length = length, .free = false};
    ++under_way_;
    return static_cast<std::uint64_t>(slot - slots_.begin());
  }

  // A wait ends by completions, and callbacks have none of their own.
  void end_wait() {
    next(kEnded).prep_nop();
    std::ignore = ring_->submit();
  }
  // There are places for all slots, for the answer, and for the end of the connection.
  uring::Submission& next(std::uint64_t user_data) {
    uring::Submission* s = ring_->get();
    if (s == nullptr) {
      std::ignore = ring_->submit();
      s = ring_->get();
    }
    s->user_data = user_data;
    return *s;
  }
  comch::Status wait() {
    if (const auto ready = ring_->submit_and_wait(1); !ready) {
      return std::unexpected(ready.error());
    }
    comch::Status all;
    ring_->advance(ring_->for_each([&](const uring::Completion& completion) {
      if (const comch::Status s = on_completion(completion); !s && all) all = s;
    }));
    if (client_.state() != comch::ContextState::kRunning && all) {
      return std::unexpected(client_.failure().error);
    }
    return all;
  }
  comch::Status on_completion(const uring::Completion& completion) {
    if (completion.user_data == kEnded) return {};
    if (completion.user_data == kAnswer) {
      answer_length_ = completion.res;
      if (completion.res >= 0) return {};
      return std::unexpected(failure(static_cast<int>(-completion.res), "there is no answer"));
    }
    Slot& slot = slots_[completion.user_data];
    const auto file = std::exchange(slot.file, nullptr);
    slot.free = true;
    --under_way_;
    if (completion.res >= 0 && static_cast<std::uint64_t>(completion.res) >= slot.length) return {};
    if (failed_.empty() && file != nullptr) failed_ = file->path();
    if (completion.res >= 0) return comch::fail(comch::Errc::io_failed, "it has become shorter");
    return std::unexpected(failure(static_cast<int>(-completion.res), "a piece is not sent"));
  }

  comch::ProgressEngine& engine_;
  comch::Client& client_;
  std::unique_ptr<uring::Ring> ring_;
  comch::ConsumerId consumer_{};
  std::unique_ptr<comch::Producer> producer_;
  uring::Destination* to_ = nullptr;
  uring::Control* control_ = nullptr;
  std::array<Slot, kAtOnce + 1> slots_{};
  std::size_t under_way_ = 0;
  std::filesystem::path failed_;
  std::array<std::byte, kMessageSize> answer_{};
  std::int64_t answer_length_ = -1;
};

int fail(const comch::Error& error) {
  std::cerr << "uring_send_files: " << comch::describe(error) << '\n';
  return 1;
}

int run(const Options& options) {
  auto files = files_of(options.text("--from", "."));
  if (!files) return 1;
  const auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto client = comch::Client::create(*device, options.text("--name", "files"));
  if (!client) return fail(client.error());
  auto ring = uring::Ring::create(**engine);
  if (!ring) return fail(ring.error());
  SendFiles sender(**engine, **client, *std::move(ring));
  if (auto s = sender.connect(); !s) return fail(s.error());
  const auto answer = sender.send(*files);
  if (!answer) {
    if (sender.failed().empty()) return fail(answer.error());
    say(sender.failed(), comch::describe(answer.error()));
    return 1;
  }
  std::cout << *answer << '\n';
  return files->all && answer->starts_with("all ") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(Options(argc, argv, {"--name", "--from"})); }
