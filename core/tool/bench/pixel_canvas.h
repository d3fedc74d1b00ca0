// PixelCanvas: a canvas of pixels, four for each unit of area, so that it is sharp when shown at
// half its size.
//
//   PixelCanvas canvas(960, 520);
//   draw_plot(canvas, rows);
//   write_png(path, canvas.width(), canvas.height(), canvas.pixels());
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tool/bench/canvas.h"

namespace comch::tool {

class PixelCanvas final : public Canvas {
 public:
  PixelCanvas(int width, int height);

  void begin_series(std::string_view, std::string_view) override {}
  void end_series() override {}
  void line(std::span<const Point> points, const Stroke& stroke) override;
  void dot(Point centre, double radius, Colour colour) override;
  void text(Point at, std::string_view words, Anchor anchor) override;

  int width() const { return width_; }  // In pixels, as the rest.
  int height() const { return height_; }
  std::span<const std::uint8_t> pixels() const { return pixels_; }  // Red, green, blue; by rows.
  Colour pixel(int x, int y) const;

 private:
  // Blends `colour` in; 1 covers the pixel. Outside nothing is drawn.
  void cover(int x, int y, Colour colour, double share);
  void segment(Point from, Point to, double width, Colour colour);
  void glyph(Point at, char letter, bool upwards);

  int width_;
  int height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace comch::tool
