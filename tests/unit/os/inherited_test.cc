// Inherited: what a child of fork() has, and has not.
#include "os/inherited.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "os/event.h"
#include "os/fd.h"
#include "support/child_process.h"
#include "unit/os/open_descriptor.h"

namespace comch::os {
namespace {

using test::ChildProcess;
using test::Exit;
using test::is_open;

// By a child that asks for each whether it has it.
void expect_in_child(int fd, bool there) {
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_EQ(is_open(fd), there);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  EXPECT_TRUE(is_open(fd));
}

TEST(InheritedTest, AChildHasWhatIsNotMarkedAndNotWhatIs) {
  const Event kept = Event::create().value();
  const Event closed = Event::create().value();
  closed.fd().close_in_children();
  expect_in_child(kept.fd().get(), true);
  expect_in_child(closed.fd().get(), false);
}

TEST(InheritedTest, TheNextOwnerOfANumberIsNotMarked) {
  Event first = Event::create().value();
  const int number = first.fd().get();
  first.fd().close_in_children();
  first = Event();
  const Event second = Event::create().value();
  ASSERT_EQ(second.fd().get(), number);
  expect_in_child(number, true);
}

TEST(InheritedTest, WhatIsGivenUpIsNotMarked) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  fd.close_in_children();
  const Fd other(fd.release());
  expect_in_child(other.get(), true);
}

TEST(InheritedTest, AMarkMovesWithItsDescriptor) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  fd.close_in_children();
  const Fd moved = std::move(fd);
  expect_in_child(moved.get(), false);
}

// Else its child could close what the first child has made since.
TEST(InheritedTest, AChildsOwnDescriptorOfTheSameNumberIsNotMarked) {
  const Event closed = Event::create().value();
  closed.fd().close_in_children();
  ChildProcess child = ChildProcess::run([&] {
    const Fd own(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(own.get(), closed.fd().get());
    expect_in_child(own.get(), true);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch::os
