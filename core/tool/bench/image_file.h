// PNG files, where comch was built with libpng.
//
// png_file.cc has it, no_png.cc stands in for it in a build without libpng.
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tool/complaint.h"

namespace comch::tool {

bool can_write_png();

// `pixels`: red, green, blue; row by row from the top.
Outcome<> write_png(const std::string& path, int width, int height,
                    std::span<const std::uint8_t> pixels);

}  // namespace comch::tool
