// doca_buf: data, references, lists of one.
#include <doca_buf.h>

#include "doca/mapped.h"

namespace comch::test {
namespace {

struct BufTest : MappedTest {
  BufTest() : buf(borrow()) {}
  ~BufTest() override { give_back(buf); }

  size_t data_length() const {
    size_t length = 99;
    EXPECT_EQ(doca_buf_get_data_len(buf, &length), DOCA_SUCCESS);
    return length;
  }
  void* data() const {
    void* at = nullptr;
    EXPECT_EQ(doca_buf_get_data(buf, &at), DOCA_SUCCESS);
    return at;
  }

  doca_buf* const buf;
};

TEST_F(BufTest, HeadAndLengthAreThoseAskedFor) {
  void* head = nullptr;
  size_t length = 0;
  EXPECT_EQ(doca_buf_get_head(buf, &head), DOCA_SUCCESS);
  EXPECT_EQ(head, memory.data());
  EXPECT_EQ(doca_buf_get_len(buf, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, memory.size());
}

TEST_F(BufTest, DataIsNamedWithinTheBufferOnly) {
  const size_t size = memory.size();
  ASSERT_EQ(doca_buf_set_data(buf, &memory[16], size - 16), DOCA_SUCCESS);
  EXPECT_EQ(data(), &memory[16]);
  EXPECT_EQ(data_length(), size - 16);
  EXPECT_EQ(doca_buf_set_data(buf, &memory[16], size - 15), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_set_data(buf, memory.data() - 1, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_set_data(buf, &memory[16], SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(data_length(), size - 16);
  EXPECT_EQ(doca_buf_set_data(buf, memory.data() + size, 0), DOCA_SUCCESS);
}

TEST_F(BufTest, TheLengthOfDataGoesUpToTheEnd) {
  ASSERT_EQ(doca_buf_set_data(buf, &memory[16], 0), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_set_data_len(buf, memory.size() - 16), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_set_data_len(buf, memory.size() - 15), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(data_length(), memory.size() - 16);
  EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
  EXPECT_EQ(data_length(), 0u);
  EXPECT_EQ(data(), &memory[16]);
}

TEST_F(BufTest, ReferencesAreCountedAsTheyWereBefore) {
  uint16_t count = 99;
  EXPECT_EQ(doca_buf_get_refcount(buf, &count), DOCA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(doca_buf_inc_refcount(buf, &count), DOCA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(doca_buf_inc_refcount(buf, nullptr), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_dec_refcount(buf, &count), DOCA_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
}

TEST_F(BufTest, References65535AreTheMost) {
  for (int i = 1; i < 65535; ++i) ASSERT_EQ(doca_buf_inc_refcount(buf, nullptr), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_inc_refcount(buf, nullptr), DOCA_ERROR_TOO_BIG);
  for (int i = 1; i < 65535; ++i) ASSERT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
}

TEST_F(BufTest, AReferenceThatIsNotThereCannotBeDropped) {
  doca_buf* other = borrow();
  give_back(other);  // Its memory is the inventory's, so that it can still be asked.
  EXPECT_EQ(doca_buf_dec_refcount(other, nullptr), DOCA_ERROR_BAD_STATE);
}

TEST_F(BufTest, EveryBufferIsAListOfItself) {
  doca_buf* other = buf;
  uint8_t is = 99;
  uint32_t length = 99;
  EXPECT_EQ(doca_buf_get_next_in_list(buf, &other), DOCA_SUCCESS);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(doca_buf_get_last_in_list(buf, &other), DOCA_SUCCESS);
  EXPECT_EQ(other, buf);
  EXPECT_EQ(doca_buf_is_last_in_list(buf, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 1);
  EXPECT_EQ(doca_buf_is_first_in_list(buf, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 1);
  EXPECT_EQ(doca_buf_is_in_list(buf, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 0);
  EXPECT_EQ(doca_buf_get_list_len(buf, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 1u);
}

TEST_F(BufTest, ListsOfMoreAreNotSupported) {
  doca_buf* other = borrow();
  EXPECT_EQ(doca_buf_chain_list(buf, other), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_buf_chain_list_tail(buf, buf, other), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_buf_unchain_list(buf, other), DOCA_ERROR_INVALID_VALUE);
  give_back(other);
}

TEST_F(BufTest, NullIsRefused) {
  void* at = nullptr;
  size_t size = 0;
  uint8_t is = 0;
  uint16_t count = 0;
  uint32_t length = 0;
  doca_buf* other = nullptr;
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_buf_inc_refcount(nullptr, &count), no);
  EXPECT_EQ(doca_buf_dec_refcount(nullptr, &count), no);
  EXPECT_EQ(doca_buf_get_refcount(nullptr, &count), no);
  EXPECT_EQ(doca_buf_get_refcount(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_len(nullptr, &size), no);
  EXPECT_EQ(doca_buf_get_len(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_head(nullptr, &at), no);
  EXPECT_EQ(doca_buf_get_head(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_data_len(nullptr, &size), no);
  EXPECT_EQ(doca_buf_get_data_len(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_data(nullptr, &at), no);
  EXPECT_EQ(doca_buf_get_data(buf, nullptr), no);
  EXPECT_EQ(doca_buf_set_data(nullptr, memory.data(), 1), no);
  EXPECT_EQ(doca_buf_set_data(buf, nullptr, 0), no);
  EXPECT_EQ(doca_buf_set_data_len(nullptr, 0), no);
  EXPECT_EQ(doca_buf_reset_data_len(nullptr), no);
  EXPECT_EQ(doca_buf_get_next_in_list(nullptr, &other), no);
  EXPECT_EQ(doca_buf_get_next_in_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_last_in_list(nullptr, &other), no);
  EXPECT_EQ(doca_buf_get_last_in_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_is_last_in_list(nullptr, &is), no);
  EXPECT_EQ(doca_buf_is_last_in_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_is_first_in_list(nullptr, &is), no);
  EXPECT_EQ(doca_buf_is_first_in_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_is_in_list(nullptr, &is), no);
  EXPECT_EQ(doca_buf_is_in_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_get_list_len(nullptr, &length), no);
  EXPECT_EQ(doca_buf_get_list_len(buf, nullptr), no);
  EXPECT_EQ(doca_buf_chain_list(nullptr, buf), no);
  EXPECT_EQ(doca_buf_chain_list(buf, nullptr), no);
  EXPECT_EQ(doca_buf_chain_list_tail(nullptr, buf, buf), no);
  EXPECT_EQ(doca_buf_chain_list_tail(buf, nullptr, buf), no);
  EXPECT_EQ(doca_buf_chain_list_tail(buf, buf, nullptr), no);
  EXPECT_EQ(doca_buf_unchain_list(nullptr, buf), no);
  EXPECT_EQ(doca_buf_unchain_list(buf, nullptr), no);
}

}  // namespace
}  // namespace comch::test
