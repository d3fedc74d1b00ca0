// Tests of fuse/attribute.h: sizes, modes and open of value files. Reading and writing
// need the kernel and are tested on a mount.
#include "attribute.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "support/processor_time.h"

namespace comch::fuse {
namespace {

struct AttributeTest : testing::Test {
  std::shared_ptr<Attribute> make(AttributeSpec spec) {
    return std::make_shared<Attribute>(record, std::move(spec), operations, watch);
  }

  std::string value = "64";
  Operations operations;
  AttributeWatch watch;
  std::shared_ptr<ObjectRecord> record =
      std::make_shared<ObjectRecord>("x", 0, 0, 0755, ObjectRecord::FailureHandler{});
};

TEST_F(AttributeTest, SizeIsThatOfTheValueAndItsNewline) {
  const auto attribute = make({.show = [this] { return value; }});
  EXPECT_EQ(attribute->attributes().st_size, 3);
  value = "1024";
  EXPECT_EQ(attribute->attributes().st_size, 5);
  value.clear();
  EXPECT_EQ(attribute->attributes().st_size, 0);  // An empty `error` has no line at all.
}

TEST_F(AttributeTest, TextKeepsItsOwnNewlines) {
  const auto attribute = make({.show = [] { return std::string("a\nb\n"); }, .is_text = true});
  EXPECT_EQ(*attribute->text(), "a\nb\n");
}

TEST_F(AttributeTest, AReportIsWrittenForReadersAndNotForThoseWhoLook) {
  int written = 0;
  const auto report = make({.show =
                                [&written] {
                                  ++written;
                                  return std::string("{}\n");
                                },
                            .is_text = true,
                            .is_report = true});
  EXPECT_EQ(report->attributes().st_size, 4096);
  EXPECT_EQ(written, 0);
  EXPECT_TRUE(report->open({.for_reading = true, .for_writing = false, .caller = {}}));
  EXPECT_EQ(written, 1);
  EXPECT_EQ(report->attributes().st_size, 3) << "cp and rsync believe the size behind their open()";
  EXPECT_EQ(written, 1);
}

// A report, and how often it was written.
struct ReportTest : AttributeTest {
  std::unique_ptr<OpenFile> open() const {
    auto opened = report->open({.for_reading = true, .for_writing = false, .caller = {}}).value();
    opened->record = record;
    return opened;
  }

  // What a report costs is what it takes of the processor, however long that was taken away.
  static std::chrono::microseconds used() { return test::processor_time(RUSAGE_THREAD); }

  std::chrono::milliseconds takes{0};
  int written = 0;
  std::shared_ptr<Attribute> report = make({.show =
                                                [this] {
                                                  ++written;
                                                  const auto end = used() + takes;
                                                  while (used() < end) continue;
                                                  return value;
                                                },
                                            .is_text = true,
                                            .is_report = true});
};

TEST_F(ReportTest, OneThatTakesLongIsWrittenOnceForAllWhoReadItMeanwhile) {
  takes = std::chrono::milliseconds(20);
  for (int n = 0; n < 5; ++n) open();
  EXPECT_EQ(written, 1);
}

TEST_F(ReportTest, OneThatTakesNoTimeIsWrittenForEachWhoReadsIt) {
  for (int n = 0; n < 5; ++n) open();
  EXPECT_EQ(written, 5);
}

TEST_F(ReportTest, PollersShareOneAndAreLookedAtAgainWhenTheNextIsDue) {
  std::vector<std::unique_ptr<OpenFile>> files;
  files.reserve(5);
  for (int n = 0; n < 5; ++n) files.push_back(open());
  for (const auto& file : files) watch.add(static_cast<AttributeFile&>(*file));
  EXPECT_EQ(watch.timeout_ms(), -1);
  takes = std::chrono::milliseconds(10);
  written = 0;
  watch.look_again();
  while (watch.is_due()) watch.check();
  EXPECT_LE(written, 2);
  EXPECT_GT(watch.timeout_ms(), 0);
  value = "changed";
  takes = std::chrono::milliseconds(0);
  while (watch.timeout_ms() > 0) continue;
  watch.check();
  EXPECT_NE(files[0]->readiness() & POLLPRI, 0U);
}

TEST_F(AttributeTest, ReadOnlyValueCannotBeOpenedForWritingByRootEither) {
  const auto attribute = make({.show = [this] { return value; }});
  EXPECT_EQ(attribute->attributes().st_mode & 0777, 0444U);
  EXPECT_EQ(attribute->open({.for_reading = false, .for_writing = true, .caller = {}}).error(),
            EACCES);
}

TEST_F(AttributeTest, SettingWhoseWriteMayBeHeldHasPrivateIdsAndNoCachedName) {
  const auto setting = make({.show = [this] { return value; },
                             .store = [](std::string_view) { return Outcome::done(); },
                             .may_be_held = true});
  EXPECT_EQ(setting->attributes().st_mode & 0777, 0644U);
  EXPECT_TRUE(setting->has_private_ids());
  EXPECT_EQ(setting->entry_timeout_s(), 0);
}

TEST_F(AttributeTest, OpenFileKnowsWhenTheValueHasChangedSinceItWasSeen) {
  const auto attribute = make({.show = [this] { return value; }});
  auto opened = attribute->open({.for_reading = true, .for_writing = false, .caller = {}});
  ASSERT_TRUE(opened);
  (*opened)->record = record;
  EXPECT_EQ((*opened)->readiness() & POLLPRI, 0U);
  value = "65";
  EXPECT_NE((*opened)->readiness() & POLLPRI, 0U);
  record->removed = true;
  EXPECT_NE((*opened)->readiness() & POLLERR, 0U);
}

// Values that take long to show, as those of a user who polls thousands of them do together.
struct AttributeWatchTest : AttributeTest {
  void poll(int count) {
    const auto slow = make({.show = [this] {
      ++shown;
      const auto end = Clock::now() + std::chrono::milliseconds(1);
      while (is_slow && Clock::now() < end) continue;
      return value;
    }});
    for (int n = 0; n < count; ++n) {
      files.push_back(
          slow->open({.for_reading = true, .for_writing = false, .caller = {}}).value());
      files.back()->record = record;
      watch.add(static_cast<AttributeFile&>(*files.back()));
    }
    shown = 0;
  }

  using Clock = std::chrono::steady_clock;
  bool is_slow = false;
  int shown = 0;
  std::vector<std::unique_ptr<OpenFile>> files;
};

TEST_F(AttributeWatchTest, LookEndsAfterItsTimeAndTheNextOneGoesOnWhereItEnded) {
  poll(20);
  is_slow = true;
  watch.look_again();
  for (int looks = 1; looks <= 20; ++looks) {
    ASSERT_TRUE(watch.is_due());
    watch.check();
    ASSERT_EQ(shown, looks) << "one, for that takes longer than a look may";
  }
  EXPECT_FALSE(watch.is_due());
  watch.check();
  EXPECT_EQ(shown, 20);
}

TEST_F(AttributeWatchTest, LookComparesEveryValueThereIsTimeFor) {
  poll(20);
  watch.look_again();
  while (watch.is_due()) watch.check();
  EXPECT_EQ(shown, 20);
  files.clear();
  watch.look_again();
  EXPECT_FALSE(watch.is_due());
}

}  // namespace
}  // namespace comch::fuse
