// Homebound: destroyed at home, forsaken abroad.
#include "base/homebound.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "comch/log.h"
#include "support/child_process.h"

namespace comch {
namespace {

using test::ChildProcess;
using test::Exit;

struct Face {
  virtual ~Face() = default;
};

template <std::size_t kAlignment>
struct alignas(kAlignment) Thing final : Face, Homebound<Thing<kAlignment>> {
  ~Thing() override { ++ended; }
  static inline int ended = 0;
};

template <std::size_t kAlignment>
void ends_at_home_only() {
  using Object = Thing<kAlignment>;
  std::unique_ptr<Face> thing = std::make_unique<Object>();
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_TRUE(static_cast<Object&>(*thing).is_away());
    thing.reset();
    EXPECT_EQ(Object::ended, 0);
    // What is made here ends here.
    thing = std::make_unique<Object>();
    EXPECT_FALSE(static_cast<Object&>(*thing).is_away());
    thing.reset();
    EXPECT_EQ(Object::ended, 1);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  thing.reset();
  EXPECT_EQ(Object::ended, 1);
}

TEST(HomeboundTest, IsDestroyedOnlyWhereItWasMade) { ends_at_home_only<8>(); }

TEST(HomeboundTest, MayBeAlignedAsItLikes) { ends_at_home_only<128>(); }

TEST(HomeboundTest, AChildTakesNoLockThatMayBeHeldForEver) {
  const Thing<8> thing;
  std::mutex mutex;
  const std::unique_lock held = thing.lock_at_home(mutex);
  EXPECT_TRUE(held.owns_lock());
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_FALSE(thing.lock_at_home(mutex).owns_lock());
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST(HomeboundTest, WhatIsRefusedIsSaidOnce) {
  ChildProcess child = ChildProcess::run([] {
    static int lines = 0;
    set_log_sink([](LogLevel, std::string_view line) {
      lines += line.find("fork") == std::string_view::npos ? 0 : 1;
    });
    for (int n = 0; n < 3; ++n) EXPECT_EQ(refuse_away().error().code, Errc::not_permitted);
    EXPECT_EQ(lines, 1);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch
