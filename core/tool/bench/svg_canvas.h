// SvgCanvas: a canvas that becomes an SVG document.
//
//   SvgCanvas canvas(960, 520);
//   draw_plot(canvas, rows);
//   file << std::move(canvas).document();
//
// Threads: one.
#pragma once

#include <string>

#include "tool/bench/canvas.h"

namespace comch::tool {

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(int width, int height);

  void begin_series(std::string_view way, std::string_view figure) override;
  void end_series() override;
  void line(std::span<const Point> points, const Stroke& stroke) override;
  void dot(Point centre, double radius, Colour colour) override;
  void text(Point at, std::string_view words, Anchor anchor) override;

  std::string document() &&;  // Ends it.

 private:
  std::string svg_;
};

}  // namespace comch::tool
