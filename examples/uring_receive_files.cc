// uring_receive_files: takes the files that uring_send_files sends, into a directory, and says
// whether all of them are there and whole.
//
//   uring_receive_files --name files --to DIRECTORY
//
// The pieces come into posted buffers in any order, each with its place beside it; the kernel
// writes them from there, and the buffer is posted again. A file is read through once more when
// its last byte is written. The program ends when its client has left. It writes files of DIRECTORY
// alone: what is a link there, or no file, is left as it is, and that is an error.
#include <comch/comch.h>
#include <comch/uring/ring.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "file_piece.h"
#include "options.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

constexpr std::uint32_t kBuffers = 8;  // Posted at a time.

// The memory that the kernel of the other side reads files into.
class Buffers {
 public:
  comch::Status allocate(std::shared_ptr<comch::Device> device) {
    auto map = comch::MemoryMap::create();
    if (!map) return std::unexpected(map.error());
    map_ = std::move(*map);
    if (auto s = map_->allocate(kBuffers * FilePiece::kMostBytes); !s) return s;
    if (auto s = map_->set_permissions(comch::Access::kPciReadWrite); !s) return s;
    if (auto s = map_->add_device(std::move(device)); !s) return s;
    if (auto s = map_->start(); !s) return s;
    auto pool = comch::BufferPool::create(kBuffers, FilePiece::kMostBytes, *map_);
    if (!pool) return std::unexpected(pool.error());
    pool_ = std::move(*pool);
    return pool_->start();
  }
  comch::MemoryMap& map() { return *map_; }
  comch::Result<comch::Buffer*> get() { return pool_->get(); }

 private:
  std::unique_ptr<comch::MemoryMap> map_;
  std::unique_ptr<comch::BufferPool> pool_;
};

class ReceiveFiles {
 public:
  ReceiveFiles(comch::ProgressEngine& engine, comch::Server& server, uring::Ring& ring,
               Buffers& buffers, std::filesystem::path directory)
      : engine_(engine),
        server_(server),
        ring_(ring),
        buffers_(buffers),
        directory_(std::move(directory)) {}
  ReceiveFiles(const ReceiveFiles&) = delete;
  ReceiveFiles& operator=(const ReceiveFiles&) = delete;
  ~ReceiveFiles() {
    if (consumer_ != nullptr) std::ignore = consumer_->abort();
    // What is written to files lies in the buffers.
    while (writes_ != 0 || !is_idle()) {
      std::ignore = ring_.submit_and_wait(1, 100ms);
      ring_.advance(ring_.for_each([this](const uring::Completion& completion) {
        if (is_write(completion)) --writes_;
      }));
    }
    if (from_ != nullptr) std::ignore = ring_.unregister(*from_);
    consumer_.reset();
    for (const Slot& slot : slots_) {
      if (slot.buffer != nullptr) std::ignore = slot.buffer->drop_reference();
    }
    for (const auto& [name, file] : files_) {
      if (file.fd >= 0) ::close(file.fd);
    }
  }

  comch::Status start() {
    const auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    const auto ignore = [](comch::Connection&, std::span<const std::byte>) {
      return comch::Receipt::kTaken;
    };
    const auto came = [this](comch::Connection& client, bool successful) {
      if (!successful) return;
      const comch::Status s = receive_from(client);
      // Of a client of another machine that is not there any more, `left` is told next.
      if (!s && s.error().code != comch::Errc::connection_reset) failure_ = s.error();
      end_wait();
    };
    const auto left = [this](comch::Connection&, bool) {
      client_has_left_ = true;
      if (control_ != nullptr) std::ignore = ring_.unregister(*std::exchange(control_, nullptr));
      end_wait();
    };
    const auto nothing = [](comch::Connection&, comch::ConsumerId) {};
    if (auto s = server_.set_max_clients(1); !s) return s;
    if (auto s = server_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = server_.on_message(ignore); !s) return s;
    if (auto s = server_.on_connection(came, left); !s) return s;
    if (auto s = server_.on_consumer(nothing, nothing); !s) return s;
    if (auto s = engine_.connect(server_); !s) return s;
    if (auto s = server_.start(); !s) return std::unexpected(s.error());
    return {};
  }

  // Until the client has left. What it was told, or nothing: it left too early.
  comch::Result<std::string> finish() {
    while (!client_has_left_ && !failure_) {
      if (const auto ready = ring_.submit_and_wait(1); !ready) {
        return std::unexpected(ready.error());
      }
      ring_.advance(ring_.for_each([this](const auto& completion) { on_completion(completion); }));
      if (ended_ && writes_ == 0 && answer_.empty() && control_ != nullptr) answer();
    }
    if (failure_) return std::unexpected(*failure_);
    if (answer_.empty()) return comch::fail(comch::Errc::connection_reset, "the sender left early");
    return answer_;
  }
  // The file that an error of finish() is about; empty: it is about none.
  const std::string& failed() const { return failed_; }

 private:
  // Of an operation's user_data: the number of a buffer, and whether it is written.
  static constexpr std::uint64_t kWrite = kBuffers;
  static constexpr std::uint64_t kOther = kWrite + kBuffers;
  struct File {
    int fd = -1;
    std::uint64_t missing = 0;  // Bytes.
    std::uint64_t checksum = 0;
    bool good = false;
  };

  comch::Status receive_from(comch::Connection& client) {
    auto consumer = comch::Consumer::create(client, buffers_.map());
    if (!consumer) return std::unexpected(consumer.error());
    consumer_ = std::move(*consumer);
    if (auto s = ring_.prepare(*consumer_, kBuffers); !s) return s;
    if (auto s = consumer_->set_immediate_size(FilePiece::kSize); !s) return s;
    const auto from = ring_.register_source(*consumer_);
    if (!from) return std::unexpected(from.error());
    from_ = *from;
    consumer_->on_state_changed(
        [this](comch::Context&, comch::ContextState, comch::ContextState now) {
          if (now == comch::ContextState::kRunning) post_all();
          end_wait();
        });
    if (auto s = engine_.connect(*consumer_); !s) return s;
    if (auto s = consumer_->start(); !s) return std::unexpected(s.error());
    const auto control = ring_.register_control(client);
    if (!control) return std::unexpected(control.error());
    control_ = *control;
    // A little faster where it is to be had; all works without.
    std::ignore = ring_.register_memory(buffers_.map());
    return {};
  }

  void post_all() {
    for (std::uint64_t n = 0; n < kBuffers; ++n) {
      const auto buffer = buffers_.get();
      if (!buffer) return refuse(buffer.error());
      slots_[n].buffer = *buffer;
      post(n);
    }
  }
  void post(std::uint64_t n) {
    slots_[n].buffer->reset_data_length();
    next(n).prep_post_recv(*from_, slots_[n].buffer);
  }

  bool is_idle() const {
    return consumer_ == nullptr || consumer_->state() == comch::ContextState::kIdle;
  }
  static bool is_write(const uring::Completion& completion) {
    return completion.user_data >= kWrite && completion.user_data < kOther;
  }

  void on_completion(const uring::Completion& completion) {
    if (completion.user_data == kOther) return;
    if (is_write(completion)) return on_written(completion);
    if (completion.res < 0) return;  // The client has left, or is about to.
    const auto piece = FilePiece::from(completion.immediate());
    if (!piece) return refuse({comch::Errc::invalid_value, 0, "what came is no piece of a file"});
    Slot& slot = slots_[completion.user_data];
    slot.name = piece->name.data();
    slot.length = completion.size;
    if (slot.name.empty()) {
      ended_ = true;
      return;
    }
    File* const file = open(slot.name, *piece);
    if (file == nullptr) return;
    if (completion.size == 0) {
      finish_if_whole(*file);
      return post(completion.user_data);
    }
    ++writes_;
    next(kWrite + completion.user_data)
        .prep_write_file(file->fd, completion.contents(), piece->offset);
  }
  void on_written(const uring::Completion& completion) {
    const std::uint64_t n = completion.user_data - kWrite;
    --writes_;
    if (completion.res < 0) {
      const int error = static_cast<int>(-completion.res);
      return refuse({comch::Errc::io_failed, error, "it cannot be written"}, slots_[n].name);
    }
    File& file = files_.at(slots_[n].name);
    file.missing -= std::min(file.missing, slots_[n].length);
    finish_if_whole(file);
    post(n);
  }

  File* open(const std::string& name, const FilePiece& piece) {
    const auto [it, fresh] = files_.try_emplace(name);
    File& file = it->second;
    if (!fresh) return &file;
    constexpr int kHow = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    file.fd = ::open((directory_ / name).c_str(), kHow, 0644);
    file.missing = piece.size;
    file.checksum = piece.checksum;
    struct stat about{};
    if (file.fd >= 0 && ::fstat(file.fd, &about) == 0 && S_ISREG(about.st_mode)) return &file;
    if (file.fd >= 0) errno = EEXIST;
    const char* const what = errno == ELOOP ? "it is a link there" : "it cannot be made";
    refuse({comch::Errc::operating_system, errno, what}, name);
    return nullptr;
  }
  void finish_if_whole(File& file) {
    if (file.missing != 0 || file.fd < 0) return;
    file.good = checksum_of(file.fd) == file.checksum;
    ::close(std::exchange(file.fd, -1));
  }

  void answer() {
    std::string bad;
    for (const auto& [name, file] : files_) {
      if (!file.good) bad += ' ' + name;
    }
    answer_ = bad.empty() ? "all " + std::to_string(files_.size()) + " files are whole"
                          : "not whole:" + bad.substr(0, 1000);
    next(kOther).prep_ctrl_send(*control_, std::as_bytes(std::span(answer_)));
  }

  // A wait ends by completions, and callbacks have none of their own.
  void end_wait() {
    next(kOther).prep_nop();
    std::ignore = ring_.submit();
  }
  // There are places for all buffers, for the answer, and for what the callbacks end waits by.
  uring::Submission& next(std::uint64_t user_data) {
    uring::Submission* s = ring_.get();
    if (s == nullptr) {
      std::ignore = ring_.submit();
      s = ring_.get();
    }
    s->user_data = user_data;
    return *s;
  }
  void refuse(const comch::Error& error, const std::string& file = {}) {
    if (failure_) return;
    failure_ = error;
    failed_ = file;
  }

  struct Slot {
    comch::Buffer* buffer = nullptr;
    std::string name;
    std::uint64_t length = 0;
  };

  comch::ProgressEngine& engine_;
  comch::Server& server_;
  uring::Ring& ring_;
  Buffers& buffers_;
  const std::filesystem::path directory_;
  std::unique_ptr<comch::Consumer> consumer_;
  uring::Source* from_ = nullptr;
  uring::Control* control_ = nullptr;
  std::array<Slot, kBuffers> slots_;
  std::map<std::string, File> files_;
  std::uint32_t writes_ = 0;  // Under way.
  std::optional<comch::Error> failure_;
  std::string failed_;
  std::string answer_;
  bool ended_ = false;
  bool client_has_left_ = false;
};

int fail(const comch::Error& error, const std::string& file = {}) {
  std::cerr << "uring_receive_files: " << file << (file.empty() ? "" : ": ")
            << comch::describe(error) << '\n';
  return 1;
}

int run(const Options& options) {
  const std::filesystem::path to = options.text("--to", ".");
  if (std::error_code error; !std::filesystem::is_directory(to, error)) {
    const int why = error ? error.value() : ENOTDIR;
    return fail({comch::Errc::operating_system, why, "--to is no directory"});
  }
  const auto device = comch::Device::open_first(comch::Side::kDpu);
  if (!device) return fail(device.error());
  const auto representor = comch::Representor::open_first(*device);
  if (!representor) return fail(representor.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  Buffers buffers;
  if (auto s = buffers.allocate(*device); !s) return fail(s.error());
  auto server = comch::Server::create(*device, *representor, options.text("--name", "files"));
  if (!server) return fail(server.error());
  auto ring = uring::Ring::create(**engine);
  if (!ring) return fail(ring.error());
  ReceiveFiles files(**engine, **server, **ring, buffers, to);
  if (auto s = files.start(); !s) return fail(s.error());
  std::cout << "receiving" << std::endl;
  const auto answer = files.finish();
  if (!answer) return fail(answer.error(), files.failed());
  std::cout << *answer << '\n';
  return answer->starts_with("all ") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(Options(argc, argv, {"--name", "--to"})); }
