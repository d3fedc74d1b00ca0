// IntrusiveList: order, leaving in every way, and several lists at once.
#include "base/intrusive_list.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace comch {
namespace {

struct Red {};
struct Element : ListLink<>, ListLink<Red> {
  explicit Element(int n) : number(n) {}
  int number;
};

struct IntrusiveListTest : testing::Test {
  template <class List>
  static std::vector<int> numbers(List& of) {
    std::vector<int> found;
    for (Element& element : of) found.push_back(element.number);
    return found;
  }
  using Numbers = std::vector<int>;

  std::array<Element, 4> e{Element(0), Element(1), Element(2), Element(3)};
  IntrusiveList<Element> list;
  IntrusiveList<Element, Red> red;
};

bool is_linked(const Element& element) { return element.ListLink<>::is_linked(); }

TEST_F(IntrusiveListTest, IsEmptyAtFirst) {
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.back(), nullptr);
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_EQ(numbers(list), Numbers{});
}

TEST_F(IntrusiveListTest, KeepsTheOrderOfItsElements) {
  list.push_back(e[1]);
  list.push_back(e[2]);
  list.push_front(e[0]);
  EXPECT_EQ(numbers(list), (Numbers{0, 1, 2}));
  EXPECT_EQ(list.front(), &e[0]);
  EXPECT_EQ(list.back(), &e[2]);
  EXPECT_EQ(list.pop_front(), &e[0]);
  EXPECT_FALSE(is_linked(e[0]));
  EXPECT_EQ(numbers(list), (Numbers{1, 2}));
}

TEST_F(IntrusiveListTest, AnElementLeavesFromAnywhereAndMayComeBack) {
  for (const std::size_t leaving : {0u, 1u, 2u}) {
    for (Element& element : std::span(e).first(3)) list.push_back(element);
    e[leaving].ListLink<>::unlink();
    EXPECT_FALSE(is_linked(e[leaving]));
    e[leaving].ListLink<>::unlink();  // Again: nothing happens.
    EXPECT_EQ(numbers(list).size(), 2u);
    list.push_back(e[leaving]);
    EXPECT_EQ(list.back(), &e[leaving]);
    list.remove(e[leaving]);
    list.clear();
    EXPECT_TRUE(list.empty());
  }
}

TEST_F(IntrusiveListTest, AnElementThatIsDestroyedLeaves) {
  list.push_back(e[0]);
  {
    Element passing(9);
    list.push_back(passing);
    list.push_back(e[1]);
  }
  EXPECT_EQ(numbers(list), (Numbers{0, 1}));
}

TEST_F(IntrusiveListTest, AListThatIsDestroyedLetsGoOfItsElements) {
  {
    IntrusiveList<Element> passing;
    passing.push_back(e[0]);
    passing.push_back(e[1]);
  }
  EXPECT_FALSE(is_linked(e[0]));
  EXPECT_FALSE(is_linked(e[1]));
}

TEST_F(IntrusiveListTest, AnElementIsInOneListPerTag) {
  list.push_back(e[0]);
  red.push_back(e[0]);
  red.push_back(e[1]);
  list.remove(e[0]);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(numbers(red), (Numbers{0, 1}));
}

TEST_F(IntrusiveListTest, TheElementAWalkStandsOnMayLeaveOrBeDestroyed) {
  auto passing = std::make_unique<Element>(9);
  list.push_back(e[0]);
  list.push_back(*passing);
  list.push_back(e[1]);
  Numbers seen;
  for (Element& element : list) {
    seen.push_back(element.number);
    if (&element == passing.get()) {
      passing.reset();
    } else {
      element.ListLink<>::unlink();
    }
  }
  EXPECT_EQ(seen, (Numbers{0, 9, 1}));
  EXPECT_TRUE(list.empty());
}

TEST_F(IntrusiveListTest, SplicingMovesAllBehindTheLast) {
  IntrusiveList<Element> other;
  list.push_back(e[0]);
  other.push_back(e[1]);
  other.push_back(e[2]);
  list.splice_back(other);
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(numbers(list), (Numbers{0, 1, 2}));
  list.splice_back(other);
  list.splice_back(list);
  EXPECT_EQ(numbers(list), (Numbers{0, 1, 2}));
  list.push_back(e[3]);
  other.splice_back(list);
  EXPECT_EQ(numbers(other), (Numbers{0, 1, 2, 3}));
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace comch
