// Mappings: /proc/sys/vm/max_map_count.
#include "os/mappings.h"

#include <fcntl.h>

#include <array>
#include <charconv>
#include <string_view>

#include "os/fd.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

std::uint64_t mappings_max() {
  constexpr std::uint64_t kUsual = 65'530;
  const Fd fd(uninterrupted([] {
    return syscalls().openat(AT_FDCWD, "/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC, 0);
  }));
  std::array<char, 24> text{};
  const ssize_t size =
      fd ? uninterrupted([&] { return syscalls().read(fd.get(), text.data(), text.size()); }) : 0;
  std::uint64_t most = 0;
  std::from_chars(text.data(), text.data() + (size > 0 ? size : 0), most);
  return most != 0 ? most : kUsual;
}

}  // namespace comch::os
