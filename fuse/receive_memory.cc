// The buffers that a consumer posts; see receive_memory.h.
#include "receive_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "comch/log.h"
#include "part_mark.h"

namespace comch::fuse {
namespace {

// Where a part of what was handed over is put for its answer: as large as the largest so far, which
// the kernel bounds. There is one, for the loop answers one request at a time.
std::span<std::byte> room_for_part(std::size_t size) {
  static std::vector<std::byte> room;
  if (room.size() < size) room.resize(size);
  return std::span(room).first(size);
}

}  // namespace

Result<std::shared_ptr<ReceiveMemory>> ReceiveMemory::create(EngineHost& host,
                                                             std::uint64_t buffer_size,
                                                             std::uint32_t buffers,
                                                             std::shared_ptr<const void> share,
                                                             Admit admit) {
  auto memory = std::make_shared<ReceiveMemory>(host, std::move(admit));
  memory->share_ = std::move(share);
  auto map = MemoryMap::create();
  if (!map) return std::unexpected(map.error());
  memory->map_ = std::move(*map);
  if (Status got = memory->map_->allocate(buffer_size * buffers); !got) {
    return std::unexpected(got.error());
  }
  const Access writable = Access::kLocalReadWrite | Access::kPciReadWrite;
  if (Status set = memory->map_->set_permissions(writable); !set) {
    return std::unexpected(set.error());
  }
  if (Status started = memory->map_->start(); !started) return std::unexpected(started.error());
  auto pool = BufferPool::create(buffers, buffer_size, *memory->map_);
  if (!pool) return std::unexpected(pool.error());
  memory->pool_ = std::move(*pool);
  if (Status started = memory->pool_->start(); !started) return std::unexpected(started.error());
  return memory;
}

ReceiveMemory::~ReceiveMemory() {
  if (pool_) {
    if (Status destroyed = BufferPool::destroy(pool_); !destroyed)
      log(LogLevel::kError, describe(destroyed.error()));
  }
  if (map_) {
    if (Status destroyed = MemoryMap::destroy(map_); !destroyed)
      log(LogLevel::kError, describe(destroyed.error()));
  }
}

Status ReceiveMemory::post_all(Consumer& consumer) {
  consumer_ = &consumer;
  while (pool_->available() > 0) {
    const auto buffer = pool_->get();
    if (!buffer) return std::unexpected(buffer.error());
    post(**buffer);
  }
  return {};
}

void ReceiveMemory::post(Buffer& buffer) const {
  buffer.reset_data_length();
  if (consumer_ != nullptr) {
    // One that is stopping gives it back through progress().
    if (consumer_->state() != ContextState::kRunning) host_.touch();
    const auto task = consumer_->allocate_receive(&buffer);
    if (task && (*task)->submit()) return;
    if (task) std::ignore = (*task)->free();
  }
  std::ignore = buffer.drop_reference();
}

std::shared_ptr<const Arrival> ReceiveMemory::take(ReceiveTask& task) {
  Buffer& buffer = *task.buffer();
  auto arrival = task.handed_over()
                     ? take_handed_over(task)
                     : std::make_shared<BufferArrival>(shared_from_this(), task, task.immediate());
  std::ignore = task.free();
  if (!arrival) post(buffer);
  return arrival;
}

std::shared_ptr<BufferArrival> ReceiveMemory::take_handed_over(const ReceiveTask& task) {
  const HandedOver message = task.handed_over();
  auto share = admit_(message.bytes.size());
  auto hold = consumer_->hold(message);
  if (share && hold) {
    return std::make_shared<BufferArrival>(
        shared_from_this(), task, task.immediate(),
        BufferArrival::Lent{message, std::move(*hold), std::move(share)});
  }
  give_back(message);
  // Who reads a longer message of which this was a part shall not take the others for all.
  if (!part_mark_of(task.immediate())) return nullptr;
  return std::make_shared<BufferArrival>(shared_from_this(), task,
                                         with_part_mark(PartMark::kCutShort, {}));
}

void ReceiveMemory::give_back(const HandedOver& message) const {
  if (consumer_ != nullptr) std::ignore = consumer_->give_back(message);
}

bool ReceiveMemory::copy_some(std::uint64_t most) {
  while (most != 0 && !lent_.empty()) {
    if ((*lent_.begin())->copy_some(most)) lent_.erase(lent_.begin());
  }
  return lent_.empty();
}

void ReceiveMemory::take_back(ReceiveTask& task) {
  std::ignore = task.buffer()->drop_reference();
  std::ignore = task.free();
}

BufferArrival::BufferArrival(std::shared_ptr<ReceiveMemory> memory, const ReceiveTask& task,
                             std::span<const std::byte> immediate, Lent lent)
    : Arrival(task.producer(), immediate),
      memory_(std::move(memory)),
      buffer_(*task.buffer()),
      lent_(std::move(lent)),
      bytes_(lent_.message ? std::span<const std::byte>(lent_.message.bytes) : buffer_.contents()) {
  if (lent_.message) memory_->lent_.insert(this);
}

BufferArrival::~BufferArrival() {
  memory_->lent_.erase(this);
  if (lent_.message) memory_->give_back(lent_.message);
  memory_->post(buffer_);
}

Part BufferArrival::part(std::size_t offset, std::size_t most) const {
  if (lent_.hold.descriptor < 0) return part_of(bytes_, offset, most);
  const auto room = room_for_part(std::min(most, bytes_.size() - offset));
  if (const int error = read(offset, room); error != 0) return std::unexpected(error);
  return room;
}

int BufferArrival::read(std::size_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const auto at = static_cast<off_t>(lent_.hold.offset + offset);
    const ssize_t got = ::pread(lent_.hold.descriptor, into.data(), into.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    offset += static_cast<std::size_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return 0;
}

bool BufferArrival::copy_some(std::uint64_t& most) {
  const std::size_t size = bytes_.size();
  if (!copy_) copy_.reset(new (std::nothrow) std::byte[size]);
  if (!copy_) return true;
  const std::size_t now = std::min<std::uint64_t>(size - copied_, most);
  if (read(copied_, {copy_.get() + copied_, now}) != 0) {
    copy_.reset();
    return true;
  }
  copied_ += now;
  most -= now;
  if (copied_ != size) return false;
  bytes_ = {copy_.get(), size};
  memory_->give_back(std::exchange(lent_.message, {}));
  lent_.hold = {};
  return true;
}

}  // namespace comch::fuse
