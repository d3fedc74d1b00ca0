// Buffer: the public face of BufferImpl.
#include "comch/buffer.h"

#include "comch/buffer_impl.h"

namespace comch {

MemoryMap& Buffer::map() const { return BufferImpl::of(*this).map(); }

Status Buffer::set_data(std::byte* data, std::size_t length) {
  BufferImpl& buffer = BufferImpl::of(*this);
  if (buffer.posted()) return fail(Errc::bad_state, "the buffer is posted, and the consumer's");
  if (!buffer.holds(data, length)) {
    return fail(Errc::invalid_value, "the data does not lie inside the buffer");
  }
  buffer.set_data_unchecked(data, length);
  return {};
}

Status Buffer::set_data_length(std::size_t length) { return set_data(data(), length); }

Result<std::uint16_t> Buffer::add_reference() {
  BufferImpl& buffer = BufferImpl::of(*this);
  const std::uint16_t before = buffer.references();
  if (before == 0) return fail(Errc::bad_state, "the buffer is not lent");
  if (before == BufferImpl::kMaxReferences) {
    return fail(Errc::too_big, "the buffer has its maximum of references");
  }
  buffer.add();
  return before;
}

Result<std::uint16_t> Buffer::drop_reference() {
  BufferImpl& buffer = BufferImpl::of(*this);
  const std::uint16_t before = buffer.references();
  if (before == 0) return fail(Errc::bad_state, "the buffer is not lent");
  buffer.drop();
  return before;
}

std::uint16_t Buffer::references() const { return BufferImpl::of(*this).references(); }

Status Buffer::chain(Buffer&) {
  return fail(Errc::not_supported, "buffers cannot be chained; send them one after the other");
}

Status Buffer::unchain(Buffer&) {
  return fail(Errc::invalid_value, "the buffer is no part of this list: no buffer is in any");
}

}  // namespace comch
