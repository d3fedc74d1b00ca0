// KernelWatch: see kernel_watch.h.
#include "engine/kernel_watch.h"

#include <array>
#include <tuple>

namespace comch::engine {
namespace {

// A slot's index and generation, packed into the word that epoll hands back.
static_assert(sizeof(void*) == sizeof(std::uint64_t), "a tag carries two 32-bit numbers");

void* tag_of(std::uint32_t index, std::uint32_t generation) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number on its way through epoll, no pointer.
  return reinterpret_cast<void*>((std::uint64_t{generation} << 32) | index);
}

}  // namespace

Result<KernelWatch> KernelWatch::create() {
  Result<os::Poller> poller = os::Poller::create();
  if (!poller) return std::unexpected(poller.error());
  return KernelWatch(std::move(*poller));
}

Status KernelWatch::watch(int fd, transport::Readiness& who, Meaning meaning) {
  const auto index = static_cast<std::uint32_t>(fd);
  if (index >= slots_.size()) slots_.resize(index + 1);
  Slot& slot = slots_[index];
  if (Status added = poller_.add(fd, EPOLLIN, tag_of(index, slot.generation)); !added) return added;
  slot.who = &who;
  slot.meaning = meaning;
  return {};
}

void KernelWatch::unwatch(int fd) {
  const auto index = static_cast<std::uint32_t>(fd);
  if (index >= slots_.size() || slots_[index].who == nullptr) return;
  std::ignore = poller_.remove(fd);
  slots_[index].who = nullptr;
  ++slots_[index].generation;
}

bool KernelWatch::look() {
  std::array<os::Ready, os::Poller::kBatch> ready;
  const Result<std::size_t> count = poller_.wait(ready, std::chrono::nanoseconds{0});
  if (!count) return false;
  bool news = false;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto tag = reinterpret_cast<std::uint64_t>(ready[i].tag);
    const Slot slot = slots_[static_cast<std::uint32_t>(tag)];
    if (slot.who == nullptr || slot.generation != static_cast<std::uint32_t>(tag >> 32)) continue;
    slot.who->on_readable();
    news = news || slot.meaning == Meaning::kNews;
  }
  return news;
}

void KernelWatch::sleep(std::chrono::nanoseconds timeout) {
  // What is ready is only looked at by look(): it stays ready.
  std::array<os::Ready, 1> ready;
  std::ignore = poller_.wait(ready, timeout);
}

}  // namespace comch::engine
