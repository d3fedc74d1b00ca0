// Plot: what is drawn of figures, as an SVG document that can be asked.
#include "tool/bench/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sample_figures.h"
#include "tool/bench/axis.h"
#include "tool/bench/svg_canvas.h"

namespace comch::tool {
namespace {

using testing::HasSubstr;

std::string svg_of(const std::vector<Figures>& rows) {
  SvgCanvas canvas(kPlotWidth, kPlotHeight);
  draw_plot(canvas, rows);
  return std::move(canvas).document();
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), {}));
}

// What keeps `text` from being well-formed XML of this kind: every tag closed, in order, with
// one element around all; no bare & or <. Empty when nothing does.
std::string objection_to_xml(std::string text) {
  const std::string prologue = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (!text.starts_with(prologue)) return "no prologue";
  text.erase(0, prologue.size());
  static const std::regex kTag("<(/?)([a-z]+)((?: [a-zA-Z-]+=\"[^\"<]*\")*)(/?)>");
  std::vector<std::string> open;
  std::size_t end = 0;
  for (auto tag = std::sregex_iterator(text.begin(), text.end(), kTag);
       tag != std::sregex_iterator(); ++tag) {
    const auto begin = static_cast<std::size_t>(tag->position());
    const std::string between = text.substr(end, begin - end);
    if (between.find_first_of("<>") != std::string::npos) return "no tag: " + between;
    if (open.empty() && end > 0) return "more than one element";
    end = begin + static_cast<std::size_t>(tag->length());
    const std::string name = (*tag)[2];
    if ((*tag)[1] == "/") {
      if (open.empty() || open.back() != name) return "closed without need: " + name;
      open.pop_back();
    } else if ((*tag)[4] != "/") {
      open.push_back(name);
    }
  }
  if (!open.empty()) return "not closed: " + open.back();
  if (text.substr(end) != "\n") return "something behind the end";
  if (count(text, "&(?!(amp|lt|gt|quot);)") > 0) return "a bare &";
  return "";
}

const std::vector<Figures>& sample() {
  static const std::vector<Figures> rows{sample_figures(8, "mapped"), sample_figures(8, "staged"),
                                         sample_figures(4096, "mapped", 10),
                                         sample_figures(4096, "staged", 20)};
  return rows;
}

TEST(SvgTest, CheckOfThisTestFindsWhatIsWrong) {
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(objection_to_xml(head + "<svg a=\"1\"><g/>text</svg>\n"), "");
  EXPECT_NE(objection_to_xml(head + "<svg><g></svg>\n"), "");
  EXPECT_NE(objection_to_xml(head + "<svg>a < b</svg>\n"), "");
  EXPECT_NE(objection_to_xml(head + "<svg>a & b</svg>\n"), "");
  EXPECT_NE(objection_to_xml(head + "<svg/><svg/>\n"), "");
  EXPECT_NE(objection_to_xml("<svg/>\n"), "");
}

TEST(SvgTest, WordsOfAnyLettersLeaveItWellFormed) {
  SvgCanvas canvas(100, 100);
  canvas.begin_series("a\"<b>&c", "p50");
  canvas.text({.x = 1, .y = 2}, "1 < 2 & \"3\" > 2", Anchor::kUpwards);
  canvas.end_series();
  const std::string svg = std::move(canvas).document();
  EXPECT_EQ(objection_to_xml(svg), "");
  EXPECT_THAT(svg, HasSubstr(">1 &lt; 2 &amp; &quot;3&quot; &gt; 2</text>"));
}

TEST(PlotTest, IsWellFormed) {
  EXPECT_EQ(objection_to_xml(svg_of(sample())), "");
  EXPECT_EQ(objection_to_xml(svg_of({sample_figures(8, "auto")})), "") << "one point";
  EXPECT_EQ(objection_to_xml(svg_of({})), "") << "no points";
}

TEST(PlotTest, EachWayHasASeriesOfEachFigure) {
  const std::string svg = svg_of(sample());
  EXPECT_EQ(count(svg, "<g class=\"series\""), 2u * 4u);
  for (const char* way : {"mapped", "staged"}) {
    for (const char* figure : {"p50", "p99", "p99.9", "bytes_per_second"}) {
      EXPECT_THAT(
          svg, HasSubstr("data-way=\"" + std::string(way) + "\" data-figure=\"" + figure + "\">"));
    }
  }
}

TEST(PlotTest, SeriesHasADotForEachSize) {
  EXPECT_EQ(count(svg_of(sample()), "<circle "), 2u * 2u * 4u);
}

TEST(PlotTest, AxesAndLegendSayWhatIsShown) {
  const std::string svg = svg_of(sample());
  for (const char* words : {">8 B<", ">4 KiB<", ">10 us<", ">1 MB/s<", ">mapped<", ">staged<",
                            ">p50<", ">p99<", ">p99.9<", ">message size<", ">Round trip<"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

TEST(PlotTest, EverythingLiesInsideThePicture) {
  const std::string svg = svg_of(sample());
  const std::regex centre("cx=\"([-0-9.]+)\" cy=\"([-0-9.]+)\"");
  for (auto dot = std::sregex_iterator(svg.begin(), svg.end(), centre);
       dot != std::sregex_iterator(); ++dot) {
    EXPECT_GE(std::stod((*dot)[1]), 0);
    EXPECT_LE(std::stod((*dot)[1]), kPlotWidth);
    EXPECT_GE(std::stod((*dot)[2]), 0);
    EXPECT_LE(std::stod((*dot)[2]), kPlotHeight);
  }
}

TEST(PlotTest, LabelsOfManySizesDoNotMeet) {
  std::vector<Figures> rows;
  for (std::size_t size = 1000; size < 1200; ++size) rows.push_back(sample_figures(size, "auto"));
  const std::string svg = svg_of(rows);
  EXPECT_LE(count(svg, ">1[0-9]{3} B<"), 2u * 8u);
}

TEST(LogAxisTest, EndsAreTheSmallestAndTheLargest) {
  const LogAxis axis = LogAxis::of_values({100, 1, 10}, 20, 40);
  EXPECT_DOUBLE_EQ(axis.at(1), 20);
  EXPECT_DOUBLE_EQ(axis.at(10), 30);
  EXPECT_DOUBLE_EQ(axis.at(100), 40);
}

TEST(LogAxisTest, DecadesSurroundTheValues) {
  const LogAxis axis = LogAxis::of_decades({15, 950}, 0, 100);
  EXPECT_THAT(axis.decades(), testing::ElementsAre(testing::DoubleEq(10), testing::DoubleEq(100),
                                                   testing::DoubleEq(1000)));
}

TEST(LogAxisTest, OneValueIsInTheMiddle) {
  EXPECT_DOUBLE_EQ(LogAxis::of_values({64}, 0, 10).at(64), 5);
}

}  // namespace
}  // namespace comch::tool
