// desk_model: two producers at a shared Desk and what they take, in random interleavings and
// with every value that the memory model allows a load to see; a small case in full up to a
// number of preemptions. The switch from alone to shared is switch_model's.
//
// DESK_HEADER may name a header with a planted mistake.
#ifndef DESK_HEADER
#define DESK_HEADER "shm/desk.h"
#endif
#include DESK_HEADER

#include "exploration.h"
#include "fast_relacy_machine.h"

namespace comch::model {
namespace {

using Machine = FastRelacyMachine<false>;

constexpr std::uint32_t kRoom = 4;
constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kDepth = 16;  // Of which a refill of two is a fair share.

using Desk = shm::Desk<Machine, kRoom>;

// A desk that two producers share. Descriptor n has the offset n.
struct SharedDesk {
  FastRelacyWord run;
  std::array<FastRelacyWord, kSlots * 2> ring;
  std::array<Desk::Seat, 2> stashes;
  Desk desk{Desk::Reader(&run, ring.data(), kSlots, 64), kDepth, stashes};
  std::array<shm::SeatId, 2> seats{};

  void post_and_sit(std::uint16_t count) {
    shm::PostedWriter<Machine> writer(&run, ring.data(), kSlots);
    for (std::uint16_t n = 0; n < count; ++n) writer.post(n, n, 1);
    writer.publish();
    for (shm::SeatId& seat : seats) {
      RL_ASSERT(desk.try_attach(seat, [] {}) == shm::Attach::kAttached);
    }
  }
};

// `kPosted` descriptors are there; each of two producers takes `kTakes` times, one at a time,
// and gives the first back where kPutsBack. Then one of them takes the rest.
template <std::uint32_t kPosted, unsigned kTakes, bool kPutsBack>
struct DeskModel : rl::test_suite<DeskModel<kPosted, kTakes, kPutsBack>, 2>, SharedDesk {
  std::array<rl::var<std::uint32_t>, kPosted> buffers;
  std::uint32_t taken[2] = {0, 0};

  void before() {
    for (auto& buffer : buffers) buffer($) = 0;
    post_and_sit(kPosted);
  }

  void thread(unsigned index) {
    for (unsigned n = 0; n < kTakes; ++n) {
      shm::Posted posted;
      if (!take(index, posted)) continue;
      if (kPutsBack && n == 0) {
        RL_ASSERT(desk.put_back(seats[index], posted));
      } else {
        use(index, posted);
      }
    }
  }

  void after() {
    shm::Posted posted;
    while (take(0, posted)) use(0, posted);
    RL_ASSERT(taken[0] + taken[1] == kPosted);  // None is stranded, none was taken twice.
  }

  bool take(unsigned index, shm::Posted& posted) {
    if (desk.take(seats[index], std::span(&posted, 1)) == 0) return false;
    RL_ASSERT(posted.offset == posted.index && posted.capacity == 1 && posted.index < kPosted);
    return true;
  }

  void use(unsigned index, const shm::Posted& posted) {
    RL_ASSERT(static_cast<std::uint32_t>(buffers[posted.index]($)) == 0);
    buffers[posted.index]($) = 1;
    ++taken[index];
  }
};

// One producer takes what the other has put into its buffer and put back: the order of a
// buffer's users.
struct PassOnModel : rl::test_suite<PassOnModel, 2>, SharedDesk {
  rl::var<std::uint32_t> buffer;

  void before() {
    buffer($) = 0;
    post_and_sit(1);
  }

  void thread(unsigned index) {
    for (unsigned n = 0; n < 2; ++n) {
      shm::Posted posted;
      if (desk.take(seats[index], std::span(&posted, 1)) == 0) continue;
      RL_ASSERT(posted.offset == 0 && posted.index == 0);
      buffer($) = static_cast<std::uint32_t>(buffer($)) + 1;
      RL_ASSERT(desk.put_back(seats[index], posted));
    }
  }
};

// One producer takes two buffers and puts them back in the other order, so that an entry which
// was read too early names the wrong one; its sibling steals.
struct SwapModel : rl::test_suite<SwapModel, 2>, SharedDesk {
  std::array<unsigned, 2> used{0, 0};

  void before() { post_and_sit(2); }

  void thread(unsigned index) {
    if (index == 1) {
      use(1);
      return;
    }
    std::array<shm::Posted, 2> both;
    std::size_t count = 0;
    for (int n = 0; n < 2; ++n) count += desk.take(seats[0], std::span(&both[count], 1));
    if (count == 0) return;
    RL_ASSERT(desk.put_back(seats[0], both[0]));
    if (count == 2) RL_ASSERT(desk.put_back(seats[0], both[1]));
  }

  void after() {
    while (use(1)) continue;
    RL_ASSERT(used[0] == 1 && used[1] == 1);
  }

  bool use(unsigned index) {
    shm::Posted posted;
    if (desk.take(seats[index], std::span(&posted, 1)) == 0) return false;
    RL_ASSERT(posted.index < 2 && posted.offset == posted.index && posted.capacity == 1);
    RL_ASSERT(++used[posted.index] == 1);
    return true;
  }
};

// One producer takes its share at once, past its stash; the other one by one, through its own.
struct ShareModel : rl::test_suite<ShareModel, 2>, SharedDesk {
  static constexpr std::uint32_t kPosted = 6;

  std::array<rl::var<std::uint32_t>, kPosted> buffers;
  std::array<std::uint32_t, 2> used{0, 0};

  void before() {
    for (auto& buffer : buffers) buffer($) = 0;
    post_and_sit(kPosted);
    RL_ASSERT(desk.share() == 2);
  }

  void thread(unsigned index) {
    for (unsigned n = 0; n < 2; ++n) take(index, index == 0 ? 2 : 1, n == 1);
  }
  void after() {
    while (take(1, 1, false)) continue;
    RL_ASSERT(used[0] + used[1] == kPosted);
  }

  // Uses what it takes, but for the last of many where it puts that back.
  bool take(unsigned index, std::size_t most, bool puts_back) {
    std::array<shm::Posted, 2> out;
    std::size_t count = desk.take(seats[index], std::span(out).first(most));
    const bool any = count != 0;
    if (count == 2 && puts_back) RL_ASSERT(desk.put_back(seats[index], out[--count]));
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint16_t buffer = out[n].index;
      RL_ASSERT(buffer < kPosted && out[n].offset == buffer);
      RL_ASSERT(static_cast<std::uint32_t>(buffers[buffer]($)) == 0);
      buffers[buffer]($) = 1;
      ++used[index];
    }
    return any;
  }
};

// One producer puts the only buffer back; the other sleeps unless it sees it.
struct WaitModel : rl::test_suite<WaitModel, 2>, SharedDesk {
  shm::Posted only;
  bool sleeps = false;
  bool is_rung = false;

  void before() {
    post_and_sit(1);
    RL_ASSERT(desk.take(seats[0], std::span(&only, 1)) == 1);
  }

  void thread(unsigned index) {
    if (index == 0) {
      RL_ASSERT(desk.put_back(seats[0], only));
      is_rung = desk.waiters().any();
    } else {
      desk.waiters().begin();
      sleeps = !desk.ready(seats[1]);
    }
  }
  void after() { RL_ASSERT(!sleeps || is_rung); }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<
      Bounded<"three buffers, two preemptions, in full", DeskModel<3, 2, false>, 2>,
      Bounded<"two buffers and a put-back, two preemptions, in full", DeskModel<2, 2, true>, 2>,
      Bounded<"a share and one by one, two preemptions, in full", ShareModel, 2>,
      Bounded<"a sleeper and a put-back, three preemptions, in full", WaitModel, 3>,
      AtRandom<"three buffers, two takes each", DeskModel<3, 2, false>>,
      AtRandom<"six buffers, four takes each", DeskModel<6, 4, false>>,
      AtRandom<"three buffers, three takes each and a put-back", DeskModel<3, 3, true>>,
      AtRandom<"a share at once and one by one", ShareModel>,
      AtRandom<"a sleeper and a put-back", WaitModel>,
      AtRandom<"one buffer from hand to hand", PassOnModel>,
      AtRandom<"two buffers put back in the other order", SwapModel>>(count, arguments, 60'000);
}
