// PixelCanvas: lines and dots by their distance from each pixel, letters by their bits.
#include "tool/bench/pixel_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tool/bench/glyphs.h"

namespace comch::tool {
namespace {

constexpr int kScale = 2;       // Pixels for a unit of length.
constexpr int kGlyphPixel = 2;  // Pixels for a dot of a letter.
constexpr int kAdvance = (kGlyphColumns + 1) * kGlyphPixel;

std::size_t channel(int width, int x, int y) {
  return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
              static_cast<std::size_t>(x));
}

// How much of a pixel is covered by a shape whose edge is `inside` pixels beyond its centre.
double coverage(double inside) { return std::clamp(inside + 0.5, 0.0, 1.0); }

// How far from the line between the two a point is.
double distance(Point point, Point from, Point to) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double square = dx * dx + dy * dy;
  const double along =
      square > 0
          ? std::clamp(((point.x - from.x) * dx + (point.y - from.y) * dy) / square, 0.0, 1.0)
          : 0.0;
  return std::hypot(point.x - from.x - along * dx, point.y - from.y - along * dy);
}

// Lengths of line and gap, in units.
std::array<double, 2> dash_lengths(Dash dash) {
  return dash == Dash::kDashed ? std::array{6.0, 4.0} : std::array{2.0, 3.0};
}

}  // namespace

PixelCanvas::PixelCanvas(int width, int height)
    : width_(width * kScale), height_(height * kScale), pixels_(channel(width_, 0, height_), 255) {}

Colour PixelCanvas::pixel(int x, int y) const {
  const std::uint8_t* const channels = &pixels_[channel(width_, x, y)];
  return {.red = channels[0], .green = channels[1], .blue = channels[2]};
}

void PixelCanvas::cover(int x, int y, Colour colour, double share) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  std::uint8_t* const channels = &pixels_[channel(width_, x, y)];
  const std::array<std::uint8_t, 3> wanted{colour.red, colour.green, colour.blue};
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    channels[n] =
        static_cast<std::uint8_t>(std::lround(channels[n] * (1 - share) + wanted[n] * share));
  }
}

void PixelCanvas::segment(Point from, Point to, double width, Colour colour) {
  const auto low = [&](double a, double b) {
    return static_cast<int>(std::floor(std::min(a, b) - width));
  };
  const auto high = [&](double a, double b) {
    return static_cast<int>(std::ceil(std::max(a, b) + width));
  };
  for (int y = low(from.y, to.y); y <= high(from.y, to.y); ++y) {
    for (int x = low(from.x, to.x); x <= high(from.x, to.x); ++x) {
      const double away = distance({.x = x + 0.5, .y = y + 0.5}, from, to);
      if (const double share = coverage(width / 2 - away); share > 0) cover(x, y, colour, share);
    }
  }
}

// Dashes run on from one segment to the next.
void PixelCanvas::line(std::span<const Point> points, const Stroke& stroke) {
  const auto [mark, gap] = dash_lengths(stroke.dash);
  double gone = 0;
  for (std::size_t n = 1; n < points.size(); ++n) {
    const Point from = points[n - 1];
    const Point to = points[n];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const auto at = [&](double where) {
      const double share = length > 0 ? where / length : 0;
      return Point{.x = kScale * (from.x + share * (to.x - from.x)),
                   .y = kScale * (from.y + share * (to.y - from.y))};
    };
    if (stroke.dash == Dash::kSolid) {
      segment(at(0), at(length), kScale * stroke.width, stroke.colour);
      continue;
    }
    double begin = -std::fmod(gone, mark + gap);
    while (begin < length) {
      const double end = std::min(begin + mark, length);
      if (end > 0) segment(at(std::max(begin, 0.0)), at(end), kScale * stroke.width, stroke.colour);
      begin += mark + gap;
    }
    gone += length;
  }
}

void PixelCanvas::dot(Point centre, double radius, Colour colour) {
  const Point at{.x = kScale * centre.x, .y = kScale * centre.y};
  segment(at, at, 2 * kScale * radius, colour);
}

void PixelCanvas::glyph(Point at, char letter, bool upwards) {
  const Glyph columns = glyph_of(letter);
  const auto left = static_cast<int>(at.x);
  const auto base = static_cast<int>(at.y);
  for (int column = 0; column < kGlyphColumns; ++column) {
    for (int row = 0; row < kGlyphRows; ++row) {
      if (((columns[static_cast<std::size_t>(column)] >> row) & 1) == 0) continue;
      for (int dot = 0; dot < kGlyphPixel * kGlyphPixel; ++dot) {
        const int right = column * kGlyphPixel + dot % kGlyphPixel;
        const int down = (row - kGlyphBase) * kGlyphPixel + dot / kGlyphPixel;
        upwards ? cover(left + down, base - right, {}, 1) : cover(left + right, base + down, {}, 1);
      }
    }
  }
}

void PixelCanvas::text(Point at, std::string_view words, Anchor anchor) {
  const double length = static_cast<double>(words.size()) * kAdvance;
  const bool upwards = anchor == Anchor::kUpwards;
  const double before = anchor == Anchor::kStart ? 0 : anchor == Anchor::kEnd ? length : length / 2;
  Point pen{.x = kScale * at.x, .y = kScale * at.y};
  (upwards ? pen.y : pen.x) += upwards ? before : -before;
  for (char letter : words) {
    glyph(pen, letter, upwards);
    (upwards ? pen.y : pen.x) += upwards ? -kAdvance : kAdvance;
  }
}

}  // namespace comch::tool
