// BufferInventory: buffers over any part of any map.
#include "comch/buffer_inventory.h"

#include "base/say.h"

namespace comch {

BufferInventoryImpl::~BufferInventoryImpl() {
  if (home.all_home()) return;
  say(LogLevel::kError, "a buffer inventory is destroyed while {} buffers are lent",
      home.size() - home.available());
}

Result<Buffer*> BufferInventoryImpl::get(MemoryMapImpl& map, std::span<std::byte> room,
                                         std::span<std::byte> data) {
  if (!started) return fail(Errc::bad_state, "the inventory is not started");
  if (!map.started()) return fail(Errc::invalid_value, "the memory map is not started");
  if (room.empty() || !map.contains(room.data(), room.size())) {
    return fail(Errc::invalid_value, "the buffer is empty, or not inside the memory map");
  }
  const auto offset =
      reinterpret_cast<std::uintptr_t>(data.data()) - reinterpret_cast<std::uintptr_t>(room.data());
  if (!contains(room.size(), {offset, data.size()})) {
    return fail(Errc::invalid_value, "the data does not lie inside the buffer");
  }
  BufferImpl* buffer = home.lend();
  if (buffer == nullptr) return fail(Errc::no_memory, "every buffer is lent");
  map.add_buffers();
  buffer->point(map, room, data);
  return buffer;
}

Result<Buffer*> BufferInventoryImpl::duplicate(const BufferImpl& source) {
  if (source.references() == 0) return fail(Errc::bad_state, "the source is not lent");
  if (!source.map().started()) return fail(Errc::bad_state, "the source's map is not started");
  return get(source.map(), {source.head(), source.length()}, source.contents());
}

// --- The public face ---------------------------------------------------------------------

Result<std::unique_ptr<BufferInventory>> BufferInventory::create(std::size_t buffers) {
  auto inventory = std::make_unique<BufferInventoryImpl>();
  if (Status s = inventory->home.add(buffers); !s) return std::unexpected(s.error());
  return inventory;
}

Status BufferInventory::destroy(std::unique_ptr<BufferInventory>& face) {
  if (face == nullptr) return fail(Errc::invalid_value, "there is no inventory to destroy");
  if (!BufferInventoryImpl::of(*face).home.all_home()) {
    return fail(Errc::in_use, "buffers of the inventory are lent");
  }
  face.reset();
  return {};
}

Status BufferInventory::start() {
  BufferInventoryImpl::of(*this).started = true;
  return {};
}
Status BufferInventory::stop() {
  BufferInventoryImpl::of(*this).started = false;
  return {};
}
bool BufferInventory::started() const { return BufferInventoryImpl::of(*this).started; }
Status BufferInventory::expand(std::size_t buffers) {
  return BufferInventoryImpl::of(*this).home.add(buffers);
}

Result<Buffer*> BufferInventory::get_by_args(MemoryMap& map, std::span<std::byte> room,
                                             std::span<std::byte> data) {
  return BufferInventoryImpl::of(*this).get(MemoryMapImpl::of(map), room, data);
}
Result<Buffer*> BufferInventory::get_by_address(MemoryMap& map, std::span<std::byte> room) {
  return get_by_args(map, room, {room.data(), 0});
}
Result<Buffer*> BufferInventory::get_by_data(MemoryMap& map, std::span<std::byte> data) {
  return get_by_args(map, data, data);
}
Result<Buffer*> BufferInventory::duplicate(const Buffer& source) {
  return BufferInventoryImpl::of(*this).duplicate(BufferImpl::of(source));
}

std::uint32_t BufferInventory::size() const { return BufferInventoryImpl::of(*this).home.size(); }
std::uint32_t BufferInventory::available() const {
  return BufferInventoryImpl::of(*this).home.available();
}
void BufferInventory::set_user_data(UserData data) {
  BufferInventoryImpl::of(*this).user_data = data;
}
UserData BufferInventory::user_data() const { return BufferInventoryImpl::of(*this).user_data; }

}  // namespace comch
