// PixelCanvas: lines, dots and letters where they should be, and nowhere else. Two pixels are
// one unit.
#include "tool/bench/pixel_canvas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sample_figures.h"
#include "support/temp_dir.h"
#include "tool/bench/glyphs.h"
#include "tool/bench/image_file.h"
#include "tool/bench/plot_file.h"

namespace comch::tool {
namespace {

constexpr Colour kWhite{.red = 255, .green = 255, .blue = 255};
constexpr Colour kRed{.red = 200, .green = 0, .blue = 0};

struct PixelCanvasTest : testing::Test {
  long drawn() const { return drawn(canvas); }
  static long drawn(const PixelCanvas& on) {
    long pixels = 0;
    for (int y = 0; y < on.height(); ++y) {
      for (int x = 0; x < on.width(); ++x) pixels += on.pixel(x, y) == kWhite ? 0 : 1;
    }
    return pixels;
  }

  PixelCanvas canvas{50, 40};
};

TEST_F(PixelCanvasTest, BeginsWhite) {
  EXPECT_EQ(canvas.width(), 100);
  EXPECT_EQ(canvas.height(), 80);
  EXPECT_EQ(canvas.pixels().size(), 100u * 80u * 3u);
  EXPECT_EQ(drawn(), 0);
}

TEST_F(PixelCanvasTest, LineGoesFromEndToEnd) {
  canvas.line(std::array{Point{.x = 10, .y = 20}, Point{.x = 40, .y = 20}},
              {.colour = kRed, .width = 2});
  EXPECT_EQ(canvas.pixel(21, 40), kRed);
  EXPECT_EQ(canvas.pixel(78, 39), kRed);
  EXPECT_EQ(canvas.pixel(14, 40), kWhite);
  EXPECT_EQ(canvas.pixel(50, 45), kWhite);
}

TEST_F(PixelCanvasTest, DashedLineHasGaps) {
  const std::array ends{Point{.x = 5, .y = 20}, Point{.x = 45, .y = 20}};
  canvas.line(ends, {.colour = kRed, .width = 1, .dash = Dash::kDashed});
  const long dashed = drawn();
  canvas.line(ends, {.colour = kRed, .width = 1});
  EXPECT_GT(dashed, 0);
  EXPECT_LT(dashed, drawn());
}

TEST_F(PixelCanvasTest, DotIsRoundItsCentre) {
  canvas.dot({.x = 25, .y = 20}, 3, kRed);
  EXPECT_EQ(canvas.pixel(50, 40), kRed);
  EXPECT_EQ(canvas.pixel(45, 40), kRed);
  EXPECT_EQ(canvas.pixel(44, 34), kWhite) << "a corner";
  EXPECT_EQ(canvas.pixel(58, 40), kWhite);
}

TEST_F(PixelCanvasTest, WhatLeavesThePictureIsCutOff) {
  canvas.line(std::array{Point{.x = -100, .y = 20}, Point{.x = 100, .y = 20}}, {.colour = kRed});
  canvas.dot({.x = 50, .y = 40}, 5, kRed);
  canvas.text({.x = 48, .y = 2}, "outside", Anchor::kStart);
  EXPECT_EQ(canvas.pixel(0, 40), kRed);
}

TEST_F(PixelCanvasTest, LineWithoutPointsIsNothing) {
  canvas.line({}, {.colour = kRed});
  EXPECT_EQ(drawn(), 0);
}

TEST_F(PixelCanvasTest, TextStandsOnItsPoint) {
  canvas.text({.x = 20, .y = 20}, "l", Anchor::kStart);
  EXPECT_EQ(canvas.pixel(40 + 4, 39), Colour{}) << "the stem's foot";
  EXPECT_EQ(canvas.pixel(40 + 4, 41), kWhite);
}

TEST_F(PixelCanvasTest, AnchorMovesTextByItsLength) {
  canvas.text({.x = 25, .y = 20}, "ll", Anchor::kEnd);
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 50; x < canvas.width(); ++x) ASSERT_EQ(canvas.pixel(x, y), kWhite);
  }
  EXPECT_GT(drawn(), 0);
}

TEST_F(PixelCanvasTest, TextUpwardsIsAsLargeAsAnyOther) {
  canvas.text({.x = 25, .y = 20}, "time", Anchor::kMiddle);
  PixelCanvas upright(50, 40);
  upright.text({.x = 25, .y = 20}, "time", Anchor::kUpwards);
  EXPECT_GT(drawn(), 0);
  EXPECT_EQ(drawn(upright), drawn());
}

TEST(GlyphTest, EveryLetterOfAsciiHasItsOwn) {
  std::vector<Glyph> glyphs;
  for (char letter = '!'; letter <= '~'; ++letter) {
    const Glyph glyph = glyph_of(letter);
    EXPECT_NE(glyph, Glyph{}) << letter;
    EXPECT_EQ(std::ranges::find(glyphs, glyph), glyphs.end()) << letter;
    glyphs.push_back(glyph);
  }
  EXPECT_EQ(glyph_of(' '), Glyph{});
  EXPECT_EQ(glyph_of('\n'), Glyph{});
  EXPECT_EQ(glyph_of('\xc3'), Glyph{});
}

struct PlotFileTest : testing::Test {
  std::string content(const std::string& name) const {
    std::ifstream file(dir / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  test::TempDir dir;
  const std::vector<Figures> rows{sample_figures(8, "auto"), sample_figures(64, "auto")};
};

TEST_F(PlotFileTest, EndingDecidesTheFormat) {
  auto svg = PlotFile::open(dir / "a.svg");
  ASSERT_TRUE(svg);
  ASSERT_TRUE(svg->draw(rows));
  EXPECT_TRUE(content("a.svg").starts_with("<?xml "));
  if (!can_write_png()) GTEST_SKIP() << "built without libpng";
  auto png = PlotFile::open(dir / "a.png");
  ASSERT_TRUE(png);
  ASSERT_TRUE(png->draw(rows));
  EXPECT_TRUE(content("a.png").starts_with("\x89PNG\r\n\x1a\n"));
}

TEST_F(PlotFileTest, NoFileIsNoFailure) {
  auto none = PlotFile::open("");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->draw(rows));
}

TEST_F(PlotFileTest, FileThatCannotBeWrittenIsAComplaintBeforeTheWork) {
  const auto plot = PlotFile::open(dir / "missing/a.svg");
  ASSERT_FALSE(plot);
  EXPECT_NE(plot.error().text.find("No such file or directory"), std::string::npos);
}

TEST_F(PlotFileTest, FullDeviceIsAComplaint) {
  // The name decides the format, so the device gets one.
  std::filesystem::create_symlink("/dev/full", dir / "full.svg");
  auto plot = PlotFile::open(dir / "full.svg");
  ASSERT_TRUE(plot);
  EXPECT_FALSE(plot->draw(rows));
}

}  // namespace
}  // namespace comch::tool
