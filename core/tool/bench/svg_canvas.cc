// SvgCanvas: one element for each call.
#include "tool/bench/svg_canvas.h"

#include <fmt/format.h>

#include <utility>

namespace comch::tool {
namespace {

std::string escaped(std::string_view words) {
  std::string text;
  for (char letter : words) {
    switch (letter) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += letter;
    }
  }
  return text;
}

std::string hex(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

const char* dash_array(Dash dash) {
  switch (dash) {
    case Dash::kDashed:
      return " stroke-dasharray=\"6 4\"";
    case Dash::kDotted:
      return " stroke-dasharray=\"2 3\"";
    default:
      return "";
  }
}

const char* anchoring(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kEnd:
      return "end";
    default:
      return "middle";
  }
}

}  // namespace

SvgCanvas::SvgCanvas(int width, int height)
    : svg_(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                       "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                       width, height)) {}

void SvgCanvas::begin_series(std::string_view way, std::string_view figure) {
  svg_ += fmt::format("<g class=\"series\" data-way=\"{}\" data-figure=\"{}\">\n", escaped(way),
                      escaped(figure));
}

void SvgCanvas::end_series() { svg_ += "</g>\n"; }

void SvgCanvas::line(std::span<const Point> points, const Stroke& stroke) {
  svg_ += "<polyline points=\"";
  for (const Point& point : points) svg_ += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  svg_ += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
                      hex(stroke.colour), stroke.width, dash_array(stroke.dash));
}

void SvgCanvas::dot(Point centre, double radius, Colour colour) {
  svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", centre.x,
                      centre.y, radius, hex(colour));
}

void SvgCanvas::text(Point at, std::string_view words, Anchor anchor) {
  const std::string turned =
      anchor == Anchor::kUpwards
          ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at.x, at.y)
          : "";
  svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", at.x,
                      at.y, anchoring(anchor), turned, escaped(words));
}

std::string SvgCanvas::document() && {
  svg_ += "</svg>\n";
  return std::move(svg_);
}

}  // namespace comch::tool
