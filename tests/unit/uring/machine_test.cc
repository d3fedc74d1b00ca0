// A machine on ends that do what chance says: whatever they do, every operation ends once, links
// and drains hold, and no place of the completion queue is lost.
#include "uring/machine.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "support/deadline.h"
#include "unit/uring/rigged_guests.h"
#include "unit/uring/rigged_kinds.h"

namespace comch::uring::test {
namespace {

constexpr std::uint64_t kCompletions = 1'000'000;

// What the test remembers of an operation, by its number, which is its user_data.
struct Expected {
  std::uint64_t chain = 0;   // The number of its chain's head.
  std::uint64_t before = 0;  // What it is linked behind; 0: nothing.
  std::uint8_t flags = 0;
  bool multishot = false;
  bool drains = false;  // It or another of its chain.
  bool lends = false;   // Somebody must hear of it.
  bool accepts = false;
};

struct MachineTest : testing::Test {
  static constexpr std::uint32_t kSlots = 128;

  MachineTest() {
    EXPECT_TRUE(map->allocate(std::size_t{kBuffers} * 64));
    EXPECT_TRUE(map->start());
    EXPECT_TRUE(inventory->start());
    for (std::uint32_t n = 0; n < kBuffers; ++n) {
      buffers.push_back(
          inventory->get_by_address(*map, map->range()->subspan(std::size_t{n} * 64, 64)).value());
    }
    free_buffers.assign(buffers.begin(), buffers.end());
    for (std::uint64_t n = 0; n < kNumbers; ++n) {
      auto& text = numbers.emplace_back(std::make_unique<std::byte[]>(8192));
      std::memset(text.get(), 0, 8);
    }
  }
  ~MachineTest() override {
    for (Buffer* buffer : buffers) std::ignore = buffer->drop_reference();
    EXPECT_TRUE(BufferInventory::destroy(inventory));
    EXPECT_TRUE(MemoryMap::destroy(map));
  }

  std::span<const std::byte> message(std::uint64_t number, std::size_t size) {
    std::byte* const text = numbers[number % kNumbers].get();
    std::memcpy(text, &number, sizeof number);
    return {text, size};
  }
  Buffer* take_buffer() {
    if (free_buffers.empty()) return nullptr;
    Buffer* const buffer = free_buffers.back();
    free_buffers.pop_back();
    return buffer;
  }

  // Prepares something; how many operations a chain has is up to chance.
  void prepare() {
    Submission* const s = queues.get();
    if (s == nullptr) {
      linked_to = 0;
      return;
    }
    const std::uint64_t number = ++last;
    s->user_data = number;
    Expected expected;
    expected.before = linked_to;
    expected.chain = linked_to == 0 ? number : chain;
    chain = expected.chain;
    fill(*s, number, expected);
    if (chance.one_in(20)) s->flags |= kDrain;
    if (chance.one_in(5) && !in_use.contains(number) && !expected.lends) s->flags |= kSkipSuccess;
    if (chance.one_in(8)) s->flags |= chance.one_in(2) ? kLink : kHardLink;
    expected.flags = s->flags;
    linked_to = (s->flags & (kLink | kHardLink)) != 0 ? number : 0;
    ((s->flags & kSkipSuccess) != 0 ? quiet : open)[number] = expected;
  }
  void fill(Submission& s, std::uint64_t number, Expected& expected) {
    const int fd = 1 + static_cast<int>(chance.below(6));
    const std::uint64_t offset = chance.one_in(2) ? kPosition : 0;
    switch (chance.below(20)) {
      case 0:
        return s.prep_post_recv(*from, nullptr);
      case 1:
        if (Buffer* buffer = take_buffer()) {
          s.prep_post_recv(*from, buffer);
          in_use[number] = buffer;
        }
        return;
      case 2:
        expected.multishot = true;
        return s.prep_post_recv_multishot(*pools, std::span(pool).first(chance.below(5)));
      case 3:
        expected.lends = true;
        return s.prep_reserve(*to);
      case 4:
        if (loans.empty()) return s.prep_abandon(*to, {});
        // One that has ended already, at times.
        return s.prep_commit(*to, {.room = {}, .consumer = ConsumerId{1}, .handle = loans.back()},
                             8);
      case 5:
        if (Buffer* buffer = take_buffer()) {
          s.prep_hand_over(*to, *buffer);
          in_use[number] = buffer;
        }
        return;
      case 6:
        return s.prep_ctrl_send(*control, message(number, 8));
      case 7:
        return s.prep_ctrl_recv(*control, std::span(room).first(chance.below(20)));
      case 8:
        return s.prep_timeout(std::chrono::nanoseconds(chance.below(100)));
      case 10:
        if (Buffer* buffer = take_buffer()) {
          s.prep_recv_file(*from, buffer, fd, offset);
          in_use[number] = buffer;
        }
        return;
      case 11:
        return s.prep_send_socket(*to, fd, 1 + chance.below(64),
                                  static_cast<int>(chance.below(2) * 0x100));
      case 12:
      case 13:
        // Long enough for both sides to read it, at times.
        return s.prep_send_file(*to, fd, chance.one_in(8) ? 1U << 18U : chance.below(70), offset);
      case 14:
        if (Buffer* buffer = take_buffer()) {
          s.prep_recv_socket(*from, buffer, fd);
          in_use[number] = buffer;
        }
        return;
      case 15:
        return s.prep_write_file(fd, message(number, chance.below(64)), offset);
      case 9:
        return s.prep_cancel(chance.one_in(10) ? ~0ULL : last - chance.below(40));
      case 16:
        expected.multishot = true;
        return s.prep_view_multishot(*viewed, static_cast<std::uint32_t>(chance.below(9)));
      case 17:
        expected.multishot = expected.accepts = true;
        return s.prep_accept_multishot(guests.listener());
      default:
        return s.prep_send(*to, message(number, chance.one_in(4) ? 5000 : 8));
    }
  }

  void submit() {
    linked_to = 0;
    if (!machine.submit_one()) machine.submit();
  }
  void step() {
    RiggedKinds::now += 10;
    if (chance.one_in(200)) consumer.stopping = !consumer.stopping;
    if (chance.one_in(200)) pool_consumer.stopping = !pool_consumer.stopping;
    if (chance.one_in(200)) view_consumer.stopping = !view_consumer.stopping;
    while (!producer.handed.empty() && chance.one_in(2)) {
      const Buffer* const buffer = producer.handed.front();
      producer.handed.pop_front();
      machine.sending().on_returned(producer, ConsumerId{1}, *buffer,
                                    producer.ending(ConsumerId{1}));
    }
    if (chance.one_in(2)) {
      machine.control().on_message(connection, std::span(room).first(chance.below(10)));
    }
    guests.step();
    machine.look();
    machine.receiving().look_for_ends();
  }
  // Nothing but a cancel ends one that accepts.
  void cancel_accepts() {
    std::vector<std::uint64_t> accepts;
    for (const auto* all : {&open, &quiet}) {
      for (const auto& [number, expected] : *all) {
        if (expected.accepts) accepts.push_back(number);
      }
    }
    for (const std::uint64_t number : accepts) {
      Submission* const s = queues.get();
      if (s == nullptr) break;
      s->prep_cancel(number);
      s->user_data = ++last;
      s->flags = kSkipSuccess;
      quiet[last] = {.chain = last};
    }
    submit();
  }
  void reap(std::uint64_t most) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(queues.ready(), most));
    for (std::uint32_t n = 0; n < count; ++n) check(queues.at(n));
    seen += count;
    if (multishots == 0) {
      queues.advance(count);
    } else {
      machine.advance(count);
    }
  }

  void check(const Completion& completion) {
    const std::uint64_t number = completion.user_data;
    auto entry = open.extract(number);
    if (entry.empty()) entry = quiet.extract(number);
    ASSERT_FALSE(entry.empty()) << number << " ends again, with " << completion.res;
    const Expected expected = entry.mapped();
    if ((completion.flags & kArrival) != 0) {
      guests.check(completion);
    } else if (completion.handle != 0) {
      loans.push_back(completion.handle);
    }
    if ((completion.flags & kMore) != 0) {
      EXPECT_TRUE(expected.multishot);
      ((expected.flags & kSkipSuccess) != 0 ? quiet : open).insert(std::move(entry));
      return;
    }
    if (expected.before != 0) {
      const auto before = over.find(expected.before);
      if (before != over.end() && before->second < 0 && !hard[expected.before]) {
        EXPECT_EQ(completion.res, -ECANCELED) << number;
      }
    }
    over[number] = completion.res;
    hard[number] = (expected.flags & kHardLink) != 0;
    if (const auto used = in_use.find(number); used != in_use.end()) {
      free_buffers.push_back(used->second);
      in_use.erase(used);
    }
    // Whoever drains comes after all that was submitted before its chain.
    if ((expected.flags & kDrain) != 0) {
      for (const auto& [other, about] : open) {
        if (other >= expected.chain) break;
        if (about.multishot) continue;
        ADD_FAILURE() << number << " drains, and " << other << " is not over";
      }
    }
    // Enough is remembered for links.
    over.erase(over.begin(), over.lower_bound(number > 5000 ? number - 5000 : 0));
    hard.erase(hard.begin(), hard.lower_bound(number > 5000 ? number - 5000 : 0));
  }

  static constexpr std::uint32_t kBuffers = 64;
  static constexpr std::uint64_t kNumbers = 1024;  // More than can be under way.
  const std::uint64_t seed = comch::test::seed();
  Chance chance{seed};
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
  std::unique_ptr<BufferInventory> inventory = BufferInventory::create(kBuffers).value();
  std::vector<Buffer*> buffers;
  std::vector<Buffer*> free_buffers;
  std::map<std::uint64_t, Buffer*> in_use;
  std::vector<std::uint32_t> loans;  // All that the test was ever lent.
  std::vector<std::unique_ptr<std::byte[]>> numbers;
  std::array<std::byte, 64> room{};
  std::array<Buffer*, 8> pool{};  // Of nothing but immediate data.

  RiggedProducer producer{chance};
  RiggedConsumer consumer{chance, 24};
  RiggedConsumer pool_consumer{chance, 8};
  RiggedConsumer view_consumer{chance, 0};
  RiggedConnection connection{chance};
  Queues queues{32, kSlots};
  std::uint32_t multishots = 0;
  RiggedIo io{chance};
  Machine<RiggedKinds> machine{queues, multishots, io, 8};
  Destination* to = machine.sending().add(producer, ConsumerId{1});
  Source* from = machine.receiving().add(consumer).value();
  Source* pools = machine.receiving().add(pool_consumer).value();
  Source* viewed = machine.receiving().add(view_consumer).value();
  Control* control = machine.control().add(connection).value();
  RiggedGuests guests{machine, chance};

  std::map<std::uint64_t, Expected> open;
  std::map<std::uint64_t, Expected> quiet;     // Of whose success nobody hears.
  std::map<std::uint64_t, std::int64_t> over;  // With what result.
  std::map<std::uint64_t, bool> hard;
  std::uint64_t last = 0;
  std::uint64_t linked_to = 0;
  std::uint64_t chain = 0;
  std::uint64_t seen = 0;
};

TEST_F(MachineTest, WhatBothSidesCannotHaveIsAskedOfThemOnceAndOthersBehindItAreNot) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  producer.lacks = true;
  for (std::uint64_t n = 1; n <= 200; ++n) {
    Submission* const s = queues.get();
    s->prep_send_file(*to, RiggedIo::kShown, 1U << 18U, 0);
    s->user_data = n;
    open[n] = {.chain = n};
    machine.submit();
    for (int looks = 0; looks < 10'000 && queues.ready() == 0; ++looks) machine.look();
    ASSERT_EQ(queues.ready(), 1U);
    reap(1);
    EXPECT_LE(producer.files, n);
  }
  EXPECT_GT(producer.files, 2U);
  EXPECT_LT(producer.files, 100U);
}

TEST_F(MachineTest, AMillionFaultedCompletionsEndOnceEachInTheOrderThatWasAskedFor) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  while (seen < kCompletions && !HasFailure()) {
    for (std::uint64_t n = chance.below(24); n > 0; --n) prepare();
    submit();
    step();
    reap(chance.below(40));
    // Whoever waits for what never comes, as io_uring's users, cancels it.
    if (queues.space() == 0) {
      consumer.stopping = pool_consumer.stopping = view_consumer.stopping = true;
      for (int n = 0; n < 50; ++n) {
        step();
        reap(kSlots);
      }
      consumer.stopping = pool_consumer.stopping = view_consumer.stopping = false;
    }
  }
  // What was sent through one destination, outside of chains, was sent in order; so were those
  // behind links, but to what they were linked to.
  EXPECT_FALSE(producer.sent.empty());
  EXPECT_GT(producer.files, 100U);
  const std::set<std::uint64_t> sent(producer.sent.begin(), producer.sent.end());
  EXPECT_EQ(sent.size(), producer.sent.size()) << "something was sent twice";

  consumer.stopping = pool_consumer.stopping = view_consumer.stopping = true;
  for (int n = 0; n < 10'000 && queues.held() != 0; ++n) {
    RiggedKinds::now += 10;
    while (!producer.handed.empty()) {
      const Buffer* const buffer = producer.handed.front();
      producer.handed.pop_front();
      machine.sending().on_returned(producer, ConsumerId{1}, *buffer,
                                    producer.ending(ConsumerId{1}));
    }
    machine.control().on_message(connection, {});
    cancel_accepts();
    machine.look();
    machine.receiving().look_for_ends();
    reap(kSlots);
  }
  EXPECT_GT(guests.came(), 100U);
  EXPECT_TRUE(open.empty()) << open.size() << " operations never end";
  EXPECT_EQ(queues.held(), 0U);
  EXPECT_EQ(multishots, 0U);
  EXPECT_TRUE(io.empty());
  for (const std::uint32_t loan : loans) producer.drop(loan);
  EXPECT_EQ(producer.lent(), 0U) << "posted buffers are lost";
  EXPECT_EQ(view_consumer.shown, 0U) << "views that nobody gave back";
}

}  // namespace
}  // namespace comch::uring::test
