// FastRelacyMachine: the machine that lets the fast path of core/shm run under relacy.
//
// A word of shared memory is an atomic and, with kChecked, a plain variable beside it that is
// read and written wherever payload words are: it catches a copy that the other side may
// overwrite, or has not finished. Words that are meant to be read in vain (a desk's copies,
// a job's claims) are not checked: there the values say whether the order was right.
#pragma once

#include "relacy_machine.h"

namespace comch::model {

template <class T>
class FastRelacyAtomic {
 public:
  FastRelacyAtomic() : FastRelacyAtomic(T{}) {}
  explicit FastRelacyAtomic(T value) { value_.store(value, rl::mo_relaxed, $); }

  T load(std::memory_order order) const { return value_.load(translate(order), $); }
  void store(T value, std::memory_order order) { value_.store(value, translate(order), $); }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
    return value_.compare_exchange_strong(expected, desired, translate_swap(success), $,
                                          translate(failure), $);
  }
  T fetch_add(T by, std::memory_order order) {
    return value_.fetch_add(by, translate_swap(order), $);
  }
  T fetch_sub(T by, std::memory_order order) {
    return value_.fetch_sub(by, translate_swap(order), $);
  }

 private:
  static rl::memory_order translate_swap(std::memory_order order) {
    return order == std::memory_order_acq_rel ? rl::mo_acq_rel : translate(order);
  }

  rl::atomic<T> value_;
};

struct FastRelacyWord {
  FastRelacyWord() { plain($) = 0; }

  FastRelacyAtomic<std::uint64_t> value;
  rl::var<std::uint64_t> plain;
};

template <bool kChecked>
struct FastRelacyMachine {
  template <class T>
  using Atomic = FastRelacyAtomic<T>;
  using Data = FastRelacyWord*;

  static std::uint64_t load_header(Data data, std::size_t offset, std::memory_order order) {
    return data[offset / 8].value.load(order);
  }
  static void store_header(Data data, std::size_t offset, std::uint64_t value,
                           std::memory_order order) {
    data[offset / 8].value.store(value, order);
  }
  static std::uint64_t load_word(Data data, std::size_t offset) {
    if (kChecked) static_cast<void>(static_cast<std::uint64_t>(data[offset / 8].plain($)));
    return data[offset / 8].value.load(std::memory_order_relaxed);
  }
  static void store_word(Data data, std::size_t offset, std::uint64_t value) {
    if (kChecked) data[offset / 8].plain($) = value;
    data[offset / 8].value.store(value, std::memory_order_relaxed);
  }
  static bool swap_word(Data data, std::size_t offset, std::uint64_t& expected,
                        std::uint64_t desired, std::memory_order order) {
    return data[offset / 8].value.compare_exchange_strong(expected, desired, order,
                                                          std::memory_order_relaxed);
  }
  static std::uint64_t add_word(Data data, std::size_t offset, std::uint64_t by,
                                std::memory_order order) {
    return data[offset / 8].value.fetch_add(by, order);
  }
  static void prefetch(Data, std::size_t) {}
  static void full_fence() { rl::atomic_thread_fence(rl::mo_seq_cst, $); }
  static void light_fence() {}  // Relacy reorders what the language allows, compiler or not.
};

}  // namespace comch::model
