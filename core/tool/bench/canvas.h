// Canvas: what a plot is drawn on; an SVG text or an array of pixels.
//
// Units are those of an SVG of one per pixel; y grows downwards.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace comch::tool {

struct Point {
  double x = 0;
  double y = 0;
};

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

enum class Dash : std::uint8_t { kSolid, kDashed, kDotted };

struct Stroke {
  Colour colour;
  double width = 1;
  Dash dash = Dash::kSolid;
};

// Which part of a text is at its point; kUpwards: its middle, and it reads from below.
enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd, kUpwards };

class Canvas {
 public:
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // What is drawn up to end_series() belongs together, under names that a reader of the
  // picture's file can find.
  virtual void begin_series(std::string_view way, std::string_view figure) = 0;
  virtual void end_series() = 0;

  virtual void line(std::span<const Point> points, const Stroke& stroke) = 0;
  virtual void dot(Point centre, double radius, Colour colour) = 0;
  // The point is on the text's base line.
  virtual void text(Point at, std::string_view words, Anchor anchor) = 0;

 protected:
  Canvas() = default;
};

}  // namespace comch::tool
