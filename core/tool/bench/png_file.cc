// PNG files, through libpng.
#include <fmt/format.h>
#include <png.h>

#include "tool/bench/image_file.h"

namespace comch::tool {

bool can_write_png() { return true; }

Outcome<> write_png(const std::string& path, int width, int height,
                    std::span<const std::uint8_t> pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0) return {};
  return complain(fmt::format("cannot write {}: {}", path, image.message));
}

}  // namespace comch::tool
