// Glyphs: letters of five by seven dots, for plots that are made of pixels.
//
// A glyph is five columns; bit 0 of each is its top dot, and bit 7 hangs below the base line.
//
// Threads: constants.
#pragma once

#include <array>
#include <cstdint>

namespace comch::tool {

inline constexpr int kGlyphColumns = 5;
inline constexpr int kGlyphRows = 8;
inline constexpr int kGlyphBase = 7;  // The first row below the base line.

using Glyph = std::array<std::uint8_t, kGlyphColumns>;

// An empty one for letters that have none: those outside of ASCII.
Glyph glyph_of(char letter);

}  // namespace comch::tool
