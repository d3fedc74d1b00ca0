// Plot: figures drawn as lines over message sizes: round trips on the left, bytes per second on
// the right, both axes logarithmic.
//
// A way has a colour; of round trips its median is a solid line, the 99th percentile a dashed
// and the 99.9th a dotted one.
//
// Threads: free functions without state.
#pragma once

#include <vector>

#include "tool/bench/canvas.h"
#include "tool/bench/figures.h"

namespace comch::tool {

inline constexpr int kPlotWidth = 1000;
inline constexpr int kPlotHeight = 480;

// Onto a canvas of that size.
void draw_plot(Canvas& canvas, const std::vector<Figures>& rows);

}  // namespace comch::tool
