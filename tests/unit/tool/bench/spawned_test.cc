// Spawned: what a program says is read, and one that there is not is a complaint.
#include "tool/bench/spawned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace comch::tool {
namespace {

std::string text_of(const Spawned& child) {
  std::array<char, 64> text{};
  std::string all;
  for (ssize_t got = 0; (got = ::read(child.output.get(), text.data(), text.size())) > 0;) {
    all.append(text.data(), static_cast<std::size_t>(got));
  }
  return all;
}

TEST(SpawnedTest, OutputIsReadAndWordsGoWithoutAShell) {
  const auto child = spawn("echo", {"echo", "$HOME;", "a  b"}, Errors::kTold);
  ASSERT_TRUE(child);
  EXPECT_EQ(text_of(*child), "$HOME; a  b\n");
  int status = -1;
  EXPECT_EQ(::waitpid(child->pid, &status, 0), child->pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(SpawnedTest, ErrorsThatAreDroppedAreNotToldToTheUser) {
  testing::internal::CaptureStderr();
  for (const Errors errors : {Errors::kDropped, Errors::kTold}) {
    const auto child = spawn("/bin/sh", {"sh", "-c", "echo oh >&2"}, errors);
    ASSERT_TRUE(child);
    EXPECT_EQ(::waitpid(child->pid, nullptr, 0), child->pid);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "oh\n");
}

TEST(SpawnedTest, ProgramThatThereIsNotIsAComplaint) {
  const auto child = spawn("comch-no-such-program", {"comch-no-such-program"}, Errors::kTold);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().text, testing::HasSubstr("cannot run comch-no-such-program"));
}

}  // namespace
}  // namespace comch::tool
