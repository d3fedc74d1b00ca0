// BenchOptions: the command line of `comch bench`, and each of its mistakes.
#include "tool/bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tool/bench/image_file.h"
#include "tool/bench/placement.h"

namespace comch::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct BenchOptionsTest : testing::Test {
  // Reads a command line; a mistake in it is thrown.
  static BenchOptions read(const std::string& line) {
    CLI::App app("bench", "bench");
    BenchOptions options;
    add_bench_options(app, options);
    app.parse(line);
    check_bench_options(app, options);
    return options;
  }
  // What is said of a mistake; empty when there is none.
  static std::string said_of(const std::string& line) {
    try {
      read(line);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(BenchOptionsTest, WithoutAnyTheFastPathIsMeasuredFrom8BytesTo64MiB) {
  const BenchOptions options = read("");
  EXPECT_EQ(options.path, Path::kFast);
  EXPECT_EQ(options.sizes.front(), 8u);
  EXPECT_EQ(options.sizes.back(), std::size_t{64} << 20U);
  EXPECT_THAT(options.ways, ElementsAre(Way::kAuto));
  EXPECT_EQ(options.by, By::kTasks);
  EXPECT_FALSE(options.reads);
  EXPECT_EQ(options.waiting, Waiting::kPoll);
  // Two measurements of each size.
  EXPECT_LT(2 * options.seconds * static_cast<double>(options.sizes.size()), 15);
}

TEST_F(BenchOptionsTest, EachHasItsWords) {
  const BenchOptions options = read(
      "--sizes 8,64K,1M --way mapped,hand-over --by arrays --read --wait sleep "
      "--producers 2 --consumers 3 --seconds 0.25 --plot figures.svg");
  EXPECT_THAT(options.sizes, ElementsAre(8u, 65536u, 1u << 20U));
  EXPECT_THAT(options.ways, ElementsAre(Way::kMapped, Way::kHandOver));
  EXPECT_EQ(options.by, By::kArrays);
  EXPECT_TRUE(options.reads);
  EXPECT_EQ(options.waiting, Waiting::kSleep);
  EXPECT_EQ(options.producers, 2u);
  EXPECT_EQ(options.consumers, 3u);
  EXPECT_EQ(options.seconds, 0.25);
  EXPECT_EQ(options.plot, "figures.svg");
}

TEST_F(BenchOptionsTest, EveryWayHasAWordThatIsReadAgain) {
  for (std::size_t n = 0; n < kWays; ++n) {
    const auto way = static_cast<Way>(n);
    EXPECT_EQ(parse_way(name(way)), way);
    EXPECT_THAT(read("--way " + std::string(name(way))).ways, ElementsAre(way));
  }
  EXPECT_EQ(parse_way("fly"), std::nullopt);
}

TEST_F(BenchOptionsTest, ApisAreMeasuredAloneOrInTurn) {
  EXPECT_THAT(read("").apis, ElementsAre(Api::kCpp));
  EXPECT_EQ(read("").rounds, 1u);
  EXPECT_THAT(read("--api c++").apis, ElementsAre(Api::kCpp));
  EXPECT_THAT(read("--api doca").apis, ElementsAre(Api::kDoca));
  EXPECT_FALSE(read("--api doca").compares());
  const BenchOptions both = read("--api both");
  EXPECT_THAT(both.apis, ElementsAre(Api::kCpp, Api::kDoca));
  EXPECT_TRUE(both.compares());
  EXPECT_GE(both.rounds, 3u) << "a median has to leave out a round that was disturbed";
  EXPECT_EQ(read("--api both --rounds 2").rounds, 2u);
}

TEST_F(BenchOptionsTest, SleepIsShortForWaitSleep) {
  EXPECT_EQ(read("--sleep").waiting, Waiting::kSleep);
}

TEST_F(BenchOptionsTest, ControlPathHasSizesOfItsOwn) {
  const BenchOptions options = read("--path control");
  EXPECT_EQ(options.path, Path::kControl);
  EXPECT_EQ(options.sizes.back(), 4080u);
}

TEST_F(BenchOptionsTest, ProcessorsThatMayBeUsedAreTaken) {
  const std::string first = std::to_string(usable_processors().front());
  const std::string last = std::to_string(usable_processors().back());
  EXPECT_EQ(said_of("--cpus " + first + "," + last), "");
}

TEST_F(BenchOptionsTest, MistakesAreNamedWithWhatWouldBeRight) {
  const std::string one_that_is = std::to_string(usable_processors().front());
  const std::vector<std::pair<std::string, const char*>> mistakes{
      {"--sizes 0", "\"0\" is no size from 1 to 64M"},
      {"--sizes 65M", "\"65M\" is no size from 1 to 64M"},
      {"--sizes 8,x", "\"x\" is no size from 1 to 64M"},
      {"--way fly", "there are auto, mapped, staged, cma, loan, hand-over"},
      {"--by hand", "\"hand\" is none of arrays|tasks"},
      {"--wait long", "\"long\" is none of poll|sleep"},
      {"--path slow", "\"slow\" is none of control|fast"},
      {"--producers 0", "1 to 64"},
      {"--consumers 65", "1 to 64"},
      {"--seconds 0", "--seconds: \"0\" is no number of seconds from 0.001 to 3600"},
      {"--seconds -1", "--seconds: \"-1\" is no number of seconds from 0.001 to 3600"},
      {"--seconds nan", "--seconds: \"nan\" is no number of seconds from 0.001 to 3600"},
      {"--seconds inf", "--seconds: \"inf\" is no number of seconds from 0.001 to 3600"},
      {"--seconds 3601", "--seconds: \"3601\" is no number of seconds from 0.001 to 3600"},
      {"--seconds soon", "--seconds: \"soon\" is no number of seconds from 0.001 to 3600"},
      {"--producers nan", "--producers"},
      {"--producers -1", "--producers"},
      {"--consumers 1.5", "--consumers"},
      {"--rounds inf", "--rounds"},
      {"--rounds -1", "--rounds"},
      {"--cpus nan,0", "--cpus"},
      {"--cpus " + one_that_is, "--cpus"},
      {"--cpus " + one_that_is + ",100000", "processor 100000 cannot be used here; these can: "},
      {"--plot figures.gif", "\"figures.gif\" ends neither in .svg nor in .png"},
      {"--path control --way cma", "--way: this is about the fast path only"},
      {"--path control --read", "--read: this is about the fast path only"},
      {"--path control --by arrays", "--by: this is about the fast path only"},
      {"--path control --producers 2", "--producers: this is about the fast path only"},
      {"--path control --consumers 2", "--consumers: this is about the fast path only"},
      {"--path control --api doca", "--api: this is about the fast path only"},
      {"--path control --rounds 2", "--rounds: this is about the fast path only"},
      {"--api rust", "\"rust\" is none of both|c++|doca"},
      {"--api doca --by arrays", "--by: the C API sends and receives with tasks only"},
      {"--api both --by arrays", "--by: the C API sends and receives with tasks only"},
      {"--api doca --way cma", "--way: the C API has no ways to choose from"},
      {"--api doca --way staged", "--way: the C API has no ways to choose from"},
      {"--api doca --way loan", "--way: the C API has no ways to choose from"},
      {"--api both --way auto,hand-over", "--way: the C API has no ways to choose from"},
      {"--rounds 0", "1 to 1000"},
      {"--path control --sizes 64K", "at most 65535 bytes"},
  };
  for (const auto& [line, words] : mistakes) EXPECT_THAT(said_of(line), HasSubstr(words)) << line;
}

TEST_F(BenchOptionsTest, PngIsRefusedOnlyWhereItCannotBeWritten) {
  if (can_write_png()) {
    EXPECT_EQ(said_of("--plot figures.png"), "");
  } else {
    EXPECT_THAT(said_of("--plot figures.png"), HasSubstr("libpng-dev"));
  }
}

}  // namespace
}  // namespace comch::tool
