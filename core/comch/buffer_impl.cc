// BufferHome: making buffers.
#include "comch/buffer_impl.h"

namespace comch {

Status BufferHome::add(std::size_t buffers) {
  if (buffers == 0 || buffers > kMaxBuffers - size_) {
    return fail(Errc::invalid_value, "there cannot be so many buffers, or none");
  }
  std::unique_ptr<BufferImpl[]> made(new (std::nothrow) BufferImpl[buffers]);
  if (!made) return fail(Errc::no_memory, "there is no memory for the buffers");
  for (std::size_t n = buffers; n-- > 0;) {  // Backwards, so that the first is lent first.
    made[n].home_ = this;
    made[n].next_free_ = std::exchange(free_, &made[n]);
  }
  blocks_.push_back({.buffers = std::move(made), .count = buffers});
  size_ += static_cast<std::uint32_t>(buffers);
  available_ += static_cast<std::uint32_t>(buffers);
  return {};
}

}  // namespace comch
