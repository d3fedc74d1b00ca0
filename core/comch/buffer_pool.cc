// BufferPool: one map, cut into buffers of one size.
#include "comch/buffer_pool.h"

#include <bit>
#include <optional>

#include "base/checked.h"
#include "base/say.h"

namespace comch {

BufferPoolImpl::~BufferPoolImpl() {
  if (!home.all_home()) {
    say(LogLevel::kError, "a buffer pool is destroyed while {} buffers are lent",
        home.size() - home.available());
  }
  if (started_) map_.remove_buffers(home.size());
}

Result<BufferPoolImpl::Layout> BufferPoolImpl::layout() const {
  const auto too_small = [] {
    return fail(Errc::initialization, "the memory map is too small for the pool's buffers");
  };
  const auto base = reinterpret_cast<std::uintptr_t>(map_.bytes().data());
  const std::optional<std::uintptr_t> begin = checked_round_up(base, std::uintptr_t{alignment});
  const std::optional<std::size_t> stride = checked_round_up(buffer_size_, alignment);
  if (!begin || !stride) return too_small();
  const std::size_t first = *begin - base;
  // The last buffer needs no room for the alignment of another.
  const std::optional<std::size_t> before_last = checked_mul(*stride, std::size_t{home.size()} - 1);
  const std::optional<std::size_t> last =
      before_last ? checked_add(first, *before_last) : std::nullopt;
  if (!last || !contains(map_.bytes().size(), {*last, buffer_size_})) return too_small();
  return Layout{.first = first, .stride = *stride};
}

Status BufferPoolImpl::start() {
  if (started_) return fail(Errc::bad_state, "the pool is started already");
  if (!map_.started()) return fail(Errc::bad_state, "the pool's memory map is not started");
  const Result<Layout> where = layout();
  if (!where) return std::unexpected(where.error());
  std::size_t at = where->first;
  home.for_each([&](BufferImpl& buffer) {
    const std::span<std::byte> room = map_.bytes().subspan(at, buffer_size_);
    buffer.point(map_, room, room.first(0));
    at += where->stride;
  });
  map_.add_buffers(home.size());
  started_ = true;
  return {};
}

Status BufferPoolImpl::stop() {
  if (!started_) return fail(Errc::bad_state, "the pool is not started");
  if (!home.all_home()) return fail(Errc::in_use, "buffers of the pool are lent");
  map_.remove_buffers(home.size());
  started_ = false;
  return {};
}

Result<Buffer*> BufferPoolImpl::get() {
  if (!started_) return fail(Errc::bad_state, "the pool is not started");
  BufferImpl* buffer = home.lend();
  if (buffer == nullptr) return fail(Errc::empty, "every buffer is lent");
  buffer->set_data_unchecked(buffer->head(), 0);
  return buffer;
}

// --- The public face ---------------------------------------------------------------------

Result<std::unique_ptr<BufferPool>> BufferPool::create(std::size_t buffers, std::size_t buffer_size,
                                                       MemoryMap& map) {
  if (buffer_size == 0) return fail(Errc::invalid_value, "a buffer has at least one byte");
  if (!map.range()) return fail(Errc::invalid_value, "the memory map has no range yet");
  auto pool = std::make_unique<BufferPoolImpl>(buffer_size, MemoryMapImpl::of(map));
  if (Status s = pool->home.add(buffers); !s) return std::unexpected(s.error());
  return pool;
}

Status BufferPool::destroy(std::unique_ptr<BufferPool>& face) {
  if (face == nullptr) return fail(Errc::invalid_value, "there is no pool to destroy");
  if (!BufferPoolImpl::of(*face).home.all_home()) {
    return fail(Errc::in_use, "buffers of the pool are lent");
  }
  face.reset();
  return {};
}

Status BufferPool::set_alignment(std::size_t alignment) {
  BufferPoolImpl& pool = BufferPoolImpl::of(*this);
  if (pool.started()) return fail(Errc::bad_state, "the pool is started; stop it first");
  if (!std::has_single_bit(alignment)) {
    return fail(Errc::invalid_value, "an alignment is a power of two");
  }
  pool.alignment = alignment;
  return {};
}

Status BufferPool::set_user_data(UserData data) {
  BufferPoolImpl& pool = BufferPoolImpl::of(*this);
  if (pool.started()) return fail(Errc::bad_state, "the pool is started; stop it first");
  pool.user_data = data;
  return {};
}

Status BufferPool::start() { return BufferPoolImpl::of(*this).start(); }
Status BufferPool::stop() { return BufferPoolImpl::of(*this).stop(); }
bool BufferPool::started() const { return BufferPoolImpl::of(*this).started(); }
Result<Buffer*> BufferPool::get() { return BufferPoolImpl::of(*this).get(); }

std::uint32_t BufferPool::size() const { return BufferPoolImpl::of(*this).home.size(); }
std::uint32_t BufferPool::available() const { return BufferPoolImpl::of(*this).home.available(); }
std::size_t BufferPool::alignment() const { return BufferPoolImpl::of(*this).alignment; }
std::size_t BufferPool::buffer_size() const { return BufferPoolImpl::of(*this).buffer_size(); }
UserData BufferPool::user_data() const { return BufferPoolImpl::of(*this).user_data; }

}  // namespace comch
