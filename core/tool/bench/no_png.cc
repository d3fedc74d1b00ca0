// PNG files cannot be written: comch was built without libpng.
#include "tool/bench/image_file.h"

namespace comch::tool {

bool can_write_png() { return false; }

Outcome<> write_png(const std::string& path, int, int, std::span<const std::uint8_t>) {
  return complain("cannot write " + path + ": this comch was built without libpng");
}

}  // namespace comch::tool
