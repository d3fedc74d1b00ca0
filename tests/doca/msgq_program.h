// MsgqProgram: a program with a MsgQ in each direction and a device function between them, set up
// and taken down step by step as storage programs do it: one thread on the accelerator, one
// completion context for what arrives there and one for what it sends.
//
//   MsgqProgram program(on_arrival, 16);
//   program.run();
//   program.producer().send(1, nullptr, "hello");     to the accelerator
//   until(program.pe, [&] { return !program.consumer().received.empty(); });
//
// The device function gets the address of DeviceArgument in the accelerator's memory.
//
// Threads: the test's. Lifetime: everything ends with it; the device thread must be able to.
#pragma once

#include <doca_dpa_dev_comch_msgq.h>

#include <cstdint>
#include <memory>

#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {

// What the program tells its device function.
struct DeviceArgument {
  doca_dpa_dev_comch_consumer_completion_t arrivals;
  doca_dpa_dev_completion_t sends;
  doca_dpa_dev_comch_consumer_t consumer;
  doca_dpa_dev_comch_producer_t producer;
  std::uint64_t word;  // The test's.
};

class MsgqProgram {
 public:
  // `messages` may be posted, and under way, in each direction.
  MsgqProgram(void (*function)(std::uint64_t), std::uint32_t messages, std::uint64_t word = 0);
  ~MsgqProgram();
  MsgqProgram(const MsgqProgram&) = delete;
  MsgqProgram& operator=(const MsgqProgram&) = delete;

  // Posts the receives of both sides, and lets the device thread be run.
  void run();
  ConsumerParty& consumer() { return *cpu_consumer_; }
  ProducerParty& producer() { return *cpu_producer_; }
  // Stops the ends on the CPU, as the first step of the end; the destructor does the others.
  void stop_cpu_ends();

  OpenDevice device{kDpuPci};
  doca_dpa* dpa = nullptr;
  doca_pe* pe = nullptr;
  doca_dpa_thread* thread = nullptr;
  DeviceArgument argument{};
  const std::uint32_t depth;

 private:
  void make_accelerator(void (*function)(std::uint64_t));
  void make_completions();
  void make_to_accelerator();
  void make_to_cpu();
  void take_handles();

  doca_dpa_dev_uintptr_t argument_there_ = 0;
  doca_comch_consumer_completion* arrivals_ = nullptr;
  doca_dpa_completion* sends_ = nullptr;
  doca_comch_msgq* to_accelerator_ = nullptr;
  doca_comch_msgq* to_cpu_ = nullptr;
  doca_comch_consumer* dpa_consumer_ = nullptr;
  doca_comch_producer* dpa_producer_ = nullptr;
  std::unique_ptr<ConsumerParty> cpu_consumer_;
  std::unique_ptr<ProducerParty> cpu_producer_;
};

}  // namespace comch::test
