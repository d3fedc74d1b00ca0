// Sign: a word that a peer writes, by which one load tells that nothing has come.
#include "transport/sign.h"

#include <gtest/gtest.h>

namespace comch::transport {
namespace {

TEST(SignTest, WithoutAWordIsNone) { EXPECT_FALSE(Sign{}); }

TEST(SignTest, IsQuietWhileItsWordIsWhatItWas) {
  std::uint64_t word = 7;
  const Sign sign{.word = &word, .quiet = 7};
  EXPECT_TRUE(sign);
  EXPECT_TRUE(sign.is_quiet());
  word = 8;
  EXPECT_FALSE(sign.is_quiet());
  word = 7;
  EXPECT_TRUE(sign.is_quiet()) << "it says what the word is, not what it has been";
}

TEST(SignTest, IsQuietAtWhateverItIsToldTo) {
  std::uint64_t word = 0;
  EXPECT_TRUE((Sign{.word = &word, .quiet = 0}).is_quiet());
  EXPECT_FALSE((Sign{.word = &word, .quiet = ~std::uint64_t{0}}).is_quiet());
  word = ~std::uint64_t{0};
  EXPECT_TRUE((Sign{.word = &word, .quiet = ~std::uint64_t{0}}).is_quiet());
}

}  // namespace
}  // namespace comch::transport
