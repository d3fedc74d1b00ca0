// Plot: two panels and a legend.
#include "tool/bench/plot.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

#include "tool/bench/axis.h"
#include "tool/bench/units.h"

namespace comch::tool {
namespace {

constexpr Colour kBlack{.red = 0, .green = 0, .blue = 0};
constexpr Colour kGrid{.red = 221, .green = 221, .blue = 221};

// Colours that colour-blind readers tell apart (after Okabe and Ito), one for each way.
constexpr std::array<Colour, 7> kColours{{{.red = 0, .green = 114, .blue = 178},
                                          {.red = 213, .green = 94, .blue = 0},
                                          {.red = 0, .green = 158, .blue = 115},
                                          {.red = 204, .green = 121, .blue = 167},
                                          {.red = 230, .green = 159, .blue = 0},
                                          {.red = 86, .green = 180, .blue = 233},
                                          {.red = 0, .green = 0, .blue = 0}}};

// One line of each way: what it shows, and how it looks.
struct Quantity {
  std::string name;
  Dash dash;
  std::function<double(const Figures&)> of;
};

Quantity percentile(std::string name, Dash dash, double share) {
  return {.name = std::move(name), .dash = dash, .of = [share](const Figures& row) {
            return static_cast<double>(row.round_trips.ns.percentile(share));
          }};
}

const std::vector<Quantity>& round_trip_quantities() {
  static const std::vector<Quantity> all{percentile("p50", Dash::kSolid, 0.5),
                                         percentile("p99", Dash::kDashed, 0.99),
                                         percentile("p99.9", Dash::kDotted, 0.999)};
  return all;
}

const std::vector<Quantity>& one_way_quantities() {
  static const std::vector<Quantity> all{
      {.name = "bytes_per_second", .dash = Dash::kSolid, .of = &Figures::bytes_per_second}};
  return all;
}

// In the order in which they were measured.
std::vector<std::string> ways_of(const std::vector<Figures>& rows) {
  std::vector<std::string> ways;
  for (const Figures& row : rows) {
    if (std::ranges::find(ways, row.way) == ways.end()) ways.push_back(row.way);
  }
  return ways;
}

// Of a power of ten the digits behind the point are noughts.
std::string without_fraction(std::string text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  return text.erase(point, text.find_first_not_of(".0", point) - point);
}

// A rectangle with axes.
class Panel {
 public:
  Panel(Canvas& canvas, const std::vector<Figures>& rows, double left,
        const std::vector<Quantity>& quantities)
      : canvas_(canvas),
        rows_(rows),
        quantities_(quantities),
        left_(left),
        sizes_(LogAxis::of_values(sizes_of(rows), left, left + kWidth)),
        values_(LogAxis::of_decades(values_of(rows, quantities), kBottom, kTop)) {}

  void draw_axes(const std::string& title, const std::string& unit, std::string (*text)(double));
  void draw_series();

 private:
  static constexpr double kWidth = 390;
  static constexpr double kTop = 50;
  static constexpr double kBottom = 380;
  static constexpr double kLabelWidth = 56;

  static std::vector<double> sizes_of(const std::vector<Figures>& rows) {
    std::vector<double> sizes;
    sizes.reserve(rows.size());
    for (const Figures& row : rows) sizes.push_back(static_cast<double>(row.size));
    return sizes;
  }
  static std::vector<double> values_of(const std::vector<Figures>& rows,
                                       const std::vector<Quantity>& quantities) {
    std::vector<double> values;
    for (const Figures& row : rows) {
      for (const Quantity& quantity : quantities) {
        if (quantity.of(row) > 0) values.push_back(quantity.of(row));
      }
    }
    return values;
  }
  void draw_sizes();
  void draw_line(const std::string& way, const Quantity& quantity, Colour colour);

  Canvas& canvas_;
  const std::vector<Figures>& rows_;
  const std::vector<Quantity>& quantities_;
  double left_;
  LogAxis sizes_;
  LogAxis values_;
};

void Panel::draw_axes(const std::string& title, const std::string& unit,
                      std::string (*text)(double)) {
  canvas_.text({.x = left_ + kWidth / 2, .y = kTop - 18}, title, Anchor::kMiddle);
  for (double value : values_.decades()) {
    const double y = values_.at(value);
    canvas_.line(std::array{Point{.x = left_, .y = y}, Point{.x = left_ + kWidth, .y = y}},
                 {.colour = kGrid});
    canvas_.text({.x = left_ - 6, .y = y + 4}, without_fraction(text(value)), Anchor::kEnd);
  }
  draw_sizes();
  canvas_.line(std::array{Point{.x = left_, .y = kTop}, Point{.x = left_, .y = kBottom},
                          Point{.x = left_ + kWidth, .y = kBottom}},
               {.colour = kBlack});
  canvas_.text({.x = left_ - 62, .y = (kTop + kBottom) / 2}, unit, Anchor::kUpwards);
  canvas_.text({.x = left_ + kWidth / 2, .y = kBottom + 38}, "message size", Anchor::kMiddle);
}

// Labels at the sizes that were measured, as far as there is room.
void Panel::draw_sizes() {
  std::set<std::size_t> sizes;
  for (const Figures& row : rows_) sizes.insert(row.size);
  double free_from = left_;
  for (std::size_t size : sizes) {
    const double x = sizes_.at(static_cast<double>(size));
    if (x < free_from) continue;
    free_from = x + kLabelWidth;
    canvas_.line(std::array{Point{.x = x, .y = kTop}, Point{.x = x, .y = kBottom}},
                 {.colour = kGrid});
    canvas_.text({.x = x, .y = kBottom + 17}, size_text(size), Anchor::kMiddle);
  }
}

void Panel::draw_series() {
  const std::vector<std::string> ways = ways_of(rows_);
  for (std::size_t n = 0; n < ways.size(); ++n) {
    for (const Quantity& quantity : quantities_) {
      canvas_.begin_series(ways[n], quantity.name);
      draw_line(ways[n], quantity, kColours[n % kColours.size()]);
      canvas_.end_series();
    }
  }
}

void Panel::draw_line(const std::string& way, const Quantity& quantity, Colour colour) {
  std::vector<Point> points;
  for (const Figures& row : rows_) {
    if (row.way != way || quantity.of(row) <= 0) continue;
    points.push_back(
        {.x = sizes_.at(static_cast<double>(row.size)), .y = values_.at(quantity.of(row))});
  }
  std::ranges::sort(points, {}, &Point::x);
  const bool main = quantity.dash == Dash::kSolid;
  canvas_.line(points, {.colour = colour, .width = main ? 2.0 : 1.2, .dash = quantity.dash});
  for (const Point& point : points) canvas_.dot(point, main ? 3 : 2, colour);
}

// Ways in one row, percentiles in the other.
void draw_legend(Canvas& canvas, const std::vector<Figures>& rows) {
  constexpr double kLeft = 80;
  constexpr double kStep = 120;
  constexpr double kLength = 30;
  const auto entry = [&](double x, double y, const Stroke& stroke, const std::string& words) {
    canvas.line(std::array{Point{.x = x, .y = y - 4}, Point{.x = x + kLength, .y = y - 4}}, stroke);
    canvas.text({.x = x + kLength + 8, .y = y}, words, Anchor::kStart);
  };
  double x = kLeft;
  const std::vector<std::string> ways = ways_of(rows);
  for (std::size_t n = 0; n < ways.size(); ++n) {
    entry(x, kPlotHeight - 32, {.colour = kColours[n % kColours.size()], .width = 2}, ways[n]);
    x += kStep;
  }
  x = kLeft;
  for (const Quantity& quantity : round_trip_quantities()) {
    entry(x, kPlotHeight - 12, {.colour = kBlack, .width = 1.5, .dash = quantity.dash},
          quantity.name);
    x += kStep;
  }
  if (const std::string note = note_of(rows); !note.empty()) {
    canvas.text({.x = kPlotWidth - 30, .y = kPlotHeight - 12}, note, Anchor::kEnd);
  }
}

}  // namespace

void draw_plot(Canvas& canvas, const std::vector<Figures>& rows) {
  const auto per_second = [](double bytes) { return bytes_text(bytes) + "/s"; };
  Panel round_trips(canvas, rows, 80, round_trip_quantities());
  round_trips.draw_axes("Round trip", "time", &duration_text);
  round_trips.draw_series();
  Panel one_way(canvas, rows, 580, one_way_quantities());
  one_way.draw_axes("One way", "rate", per_second);
  one_way.draw_series();
  draw_legend(canvas, rows);
}

}  // namespace comch::tool
