// MemoryMapImpl: see memory_map_impl.h.
#include "comch/memory_map_impl.h"

#include <algorithm>
#include <utility>

#include "base/say.h"
#include "os/memfd.h"
#include "os/memory.h"

namespace comch {
namespace {

MemoryMapId next_id() {
  static std::atomic<std::uint64_t> last{0};
  // Makes no edge: it only has to be another number each time, so relaxed.
  return MemoryMapId{last.fetch_add(1, std::memory_order_relaxed) + 1};
}

std::uint64_t number_of(const void* address) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
}

// `size` bytes from `address` on, if there is such a range.
Result<std::span<std::byte>> range_at(void* address, std::size_t size) {
  if (address == nullptr || size == 0 || !checked_add(number_of(address), std::uint64_t{size})) {
    return fail(Errc::invalid_value, "the range has no bytes, or wraps");
  }
  return std::span(static_cast<std::byte*>(address), size);
}

}  // namespace

MemoryMapImpl::MemoryMapImpl() : id_(next_id()) {}

MemoryMapImpl::MemoryMapImpl(ImportedMemory memory, std::shared_ptr<Device> device,
                             UserData user_data)
    : id_(next_id()),
      started_(true),
      ever_started_(true),
      permissions_(memory.what.permissions),
      memory_(std::move(memory.fd)),
      window_(std::move(memory.window)),
      user_data_(user_data) {
  adopt(Kind::kExport, window_.bytes(), memory.what.offset);
  origin_ = memory.what.address;
  // What cannot be written here cannot be shown to a peer that writes.
  shareable_ = others_may_write(permissions_);
  devices_.push_back(std::move(device));
  life_.emplace(bytes_);
}

MemoryMapImpl::~MemoryMapImpl() {
  if (const std::uint32_t left = buffers(); left != 0) {
    say(LogLevel::kError, "a memory map is destroyed while {} buffers point into it", left);
  }
  life_.reset();
  if (ever_started_ && on_free_ && !bytes_.empty() && !window_) {
    on_free_(bytes_.data(), bytes_.size());
  }
}

// --- The range ---------------------------------------------------------------------------

Status MemoryMapImpl::require_unset() const {
  if (kind_ == Kind::kExport) {
    return fail(Errc::not_permitted, "the map is made from an export; nothing of it can be set");
  }
  if (started_) return fail(Errc::bad_state, "the map is started; stop it first");
  if (kind_ != Kind::kNone) return fail(Errc::not_permitted, "the map has its range already");
  return {};
}

void MemoryMapImpl::adopt(Kind kind, std::span<std::byte> bytes, std::uint64_t offset) {
  kind_ = kind;
  bytes_ = bytes;
  offset_ = offset;
  origin_ = number_of(bytes.data());
}

Status MemoryMapImpl::set_range(void* address, std::size_t size) {
  if (Status s = require_unset(); !s) return s;
  const Result<std::span<std::byte>> range = range_at(address, size);
  if (!range) return std::unexpected(range.error());
  adopt(Kind::kUser, *range, 0);
  return {};
}

Status MemoryMapImpl::take_pages(std::size_t size, HugePages pages, bool populate) {
  const auto from = pages == HugePages::kPool ? os::Pages::kPool : os::Pages::kOrdinary;
  Result<os::Fd> memory = os::make_memory("comch-map", size, from);
  if (!memory) return std::unexpected(memory.error());
  const Result<std::uint64_t> whole = os::memory_size(*memory);
  if (!whole) return std::unexpected(whole.error());
  Result<os::Window> window = os::Window::map(*memory, {0, *whole}, os::Window::kWrite);
  if (!window) return std::unexpected(window.error());
  if (pages == HugePages::kAdvised && !os::advise_huge(*window)) pages = HugePages::kNo;
  if (Status s = populate ? os::populate(*memory, *window) : Status(); !s) return s;
  memory_ = std::move(*memory);
  window_ = std::move(*window);
  huge_pages_ = pages;
  adopt(Kind::kAllocated, window_.bytes().first(size), 0);
  return {};
}

Status MemoryMapImpl::allocate(std::size_t size, const AllocateOptions& options) {
  if (Status s = require_unset(); !s) return s;
  if (options.huge_pages == HugePages::kPool) {
    const Status s = take_pages(size, HugePages::kPool, options.populate);
    if (s || size == 0) return s;
    say(LogLevel::kInfo, "no {} bytes of huge pages are set aside ({}); advice is used instead",
        size, describe(s.error()));
    return take_pages(size, HugePages::kAdvised, options.populate);
  }
  return take_pages(size, options.huge_pages, options.populate);
}

Status MemoryMapImpl::import_memfd(int fd, std::uint64_t offset, std::size_t size) {
  if (Status s = require_unset(); !s) return s;
  Result<os::Fd> memory = os::duplicate(fd);
  if (!memory) return std::unexpected(memory.error());
  const Result<std::uint64_t> whole = os::memory_size(*memory);
  if (!whole) return std::unexpected(whole.error());
  if (!comch::contains(*whole, {offset, size})) {
    return fail(Errc::invalid_value, "the range is not inside the memory");
  }
  Result<os::Window> window = os::Window::map(*memory, {offset, size}, os::Window::kWrite);
  if (!window) {
    // Here this is a descriptor of the caller's that was opened for reading.
    Error error = window.error();
    if (error.code == Errc::not_permitted) error.code = Errc::invalid_value;
    return std::unexpected(error);
  }
  memory_ = std::move(*memory);
  window_ = std::move(*window);
  adopt(Kind::kMemfd, window_.bytes(), offset);
  return {};
}

Status MemoryMapImpl::import_dmabuf(int fd, std::uint64_t offset, std::size_t size, void* address) {
  if (Status s = require_unset(); !s) return s;
  Result<os::Fd> memory = os::duplicate(fd);
  if (!memory) return std::unexpected(memory.error());
  const Result<std::uint64_t> whole = os::dmabuf_size(*memory);
  if (!whole) return std::unexpected(whole.error());
  if (!comch::contains(*whole, {offset, size})) {
    return fail(Errc::invalid_value, "the range is not inside the dma-buf");
  }
  if (address != nullptr) {
    const Result<std::span<std::byte>> range = range_at(address, size);
    if (!range) return std::unexpected(range.error());
    memory_ = std::move(*memory);
    adopt(Kind::kDmabuf, *range, offset);
    return {};
  }
  Result<os::Window> window = os::Window::map(*memory, {offset, size}, os::Window::kWrite);
  if (!window) {
    if (window.error().code == Errc::invalid_value && size == 0) {
      return std::unexpected(window.error());
    }
    return fail(Errc::not_supported, "the dma-buf's driver lets no program map it",
                window.error().sys);
  }
  memory_ = std::move(*memory);
  window_ = std::move(*window);
  adopt(Kind::kDmabuf, window_.bytes(), offset);
  return {};
}

// --- Configuration -----------------------------------------------------------------------

Status MemoryMapImpl::require_configurable(Errc when_started) const {
  if (kind_ == Kind::kExport) {
    return fail(Errc::not_permitted, "the map is made from an export; nothing of it can be set");
  }
  if (started_) return fail(when_started, "the map is started; stop it first");
  return {};
}

Status MemoryMapImpl::set_permissions(Access mask) {
  if (Status s = require_configurable(Errc::bad_state); !s) return s;
  if ((mask & kAllAccess) != mask) return fail(Errc::invalid_value, "there is no such permission");
  permissions_ = mask;
  return {};
}

Status MemoryMapImpl::set_user_data(UserData data) {
  if (Status s = require_configurable(Errc::bad_state); !s) return s;
  user_data_ = data;
  return {};
}

Status MemoryMapImpl::on_free(FreeHandler handler) {
  if (Status s = require_configurable(Errc::bad_state); !s) return s;
  on_free_ = std::move(handler);
  return {};
}

Status MemoryMapImpl::set_max_devices(std::uint32_t devices) {
  if (Status s = require_configurable(Errc::not_permitted); !s) return s;
  if (ever_started_) return fail(Errc::not_permitted, "the map was started before");
  if (devices == 0 || devices < devices_.size()) {
    return fail(Errc::invalid_value, "the map has more devices than that, or would have none");
  }
  max_devices_ = devices;
  return {};
}

std::size_t MemoryMapImpl::index_of(const Device& device) const {
  const auto found = std::ranges::find_if(
      devices_, [&](const auto& known) { return known->info().pci == device.info().pci; });
  return static_cast<std::size_t>(found - devices_.begin());
}

bool MemoryMapImpl::has_device(const Device& device) const {
  return index_of(device) < devices_.size();
}

Status MemoryMapImpl::add_device(std::shared_ptr<Device> device) {
  if (Status s = require_configurable(Errc::not_permitted); !s) return s;
  if (device == nullptr) return fail(Errc::invalid_value, "there is no device to add");
  if (has_device(*device)) return fail(Errc::already_exist, "the map has this device already");
  if (devices_.size() == max_devices_) {
    return fail(Errc::no_memory, "the map has its maximum of devices");
  }
  devices_.push_back(std::move(device));
  return {};
}

Status MemoryMapImpl::remove_device(const Device& device) {
  if (Status s = require_configurable(Errc::not_permitted); !s) return s;
  const std::size_t index = index_of(device);
  if (index == devices_.size()) return fail(Errc::not_found, "the map does not have this device");
  devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(index));
  return {};
}

// --- Life --------------------------------------------------------------------------------

// Memory of ours is sealed at its first start, when it is known who may write.
Status MemoryMapImpl::check_start() {
  if (kind_ != Kind::kAllocated) return {};
  if (!sealed_) {
    const auto others =
        others_may_write(permissions_) ? os::ForOthers::kWritable : os::ForOthers::kReadOnly;
    const Status s = os::seal_memory(memory_, others);
    sealed_ = s.has_value();
    return s;
  }
  if (others_may_write(permissions_) && !os::others_may_write(memory_)) {
    return fail(Errc::not_permitted,
                "others were kept from writing when the map was first started, for good");
  }
  return {};
}

Status MemoryMapImpl::start() {
  if (Status s = require_configurable(Errc::not_permitted); !s) return s;
  if (kind_ == Kind::kNone) return fail(Errc::not_permitted, "the map has no range yet");
  if (Status s = check_start(); !s) return s;
  // A peer asks the kernel the same question and would refuse any other memory.
  shareable_ =
      (kind_ == Kind::kAllocated || kind_ == Kind::kMemfd) && os::sealed_size(memory_).has_value();
  life_.emplace(bytes_);
  started_ = ever_started_ = true;
  return {};
}

Status MemoryMapImpl::stop() {
  if (kind_ == Kind::kExport) {
    return fail(Errc::not_permitted, "the map is made from an export; destroy it instead");
  }
  if (!started_) return fail(Errc::not_permitted, "the map is not started");
  if (buffers() != 0) return fail(Errc::not_permitted, "buffers point into the map");
  life_.reset();
  exported_.reset();
  shareable_ = false;
  started_ = false;
  return {};
}

Result<std::span<const std::byte>> MemoryMapImpl::export_descriptor(const Device& device) {
  if (!started_ || kind_ == Kind::kExport) {
    return fail(Errc::not_permitted, "the map is not started, or is itself made from an export");
  }
  if (!others_may_read(permissions_)) {
    return fail(Errc::not_permitted, "the map's permissions are local ones only");
  }
  if (!has_device(device)) return fail(Errc::not_found, "the map does not have this device");
  if (memfd() == nullptr) {
    return fail(Errc::not_supported,
                "only a memfd of ordinary pages, sealed against resizing, can be exported; "
                "allocate() makes one");
  }
  if (!exported_) {
    Result<ExportedMemory> made = export_memory(memory_, {.permissions = permissions_,
                                                          .offset = offset_,
                                                          .size = bytes_.size(),
                                                          .address = origin_});
    if (!made) return std::unexpected(made.error());
    exported_ = std::move(*made);
  }
  return std::span<const std::byte>(exported_->descriptor);
}

}  // namespace comch
