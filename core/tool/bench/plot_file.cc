// PlotFile: SVG or PNG, as the name's ending says.
#include "tool/bench/plot_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "tool/bench/image_file.h"
#include "tool/bench/pixel_canvas.h"
#include "tool/bench/plot.h"
#include "tool/bench/svg_canvas.h"

namespace comch::tool {
namespace {

std::unexpected<Complaint> cannot_write(const std::string& path) {
  return complain(fmt::format("cannot write {} ({})", path, std::strerror(errno)));
}

Outcome<> write_svg(const std::string& path, const std::vector<Figures>& rows) {
  SvgCanvas canvas(kPlotWidth, kPlotHeight);
  draw_plot(canvas, rows);
  std::ofstream file(path, std::ios::trunc);
  file << std::move(canvas).document() << std::flush;
  if (!file) return cannot_write(path);
  return {};
}

}  // namespace

std::string objection_to_plot_file(const std::string& path) {
  if (path.ends_with(".svg")) return {};
  if (!path.ends_with(".png")) return fmt::format("\"{}\" ends neither in .svg nor in .png", path);
  if (can_write_png()) return {};
  return "this comch cannot write .png; install libpng-dev and build it again, or plot a .svg";
}

Outcome<PlotFile> PlotFile::open(const std::string& path) {
  if (!path.empty() && !std::ofstream(path, std::ios::trunc)) return cannot_write(path);
  return PlotFile(path);
}

Outcome<> PlotFile::draw(const std::vector<Figures>& rows) const {
  if (path_.empty()) return {};
  if (path_.ends_with(".svg")) return write_svg(path_, rows);
  PixelCanvas canvas(kPlotWidth, kPlotHeight);
  draw_plot(canvas, rows);
  return write_png(path_, canvas.width(), canvas.height(), canvas.pixels());
}

}  // namespace comch::tool
