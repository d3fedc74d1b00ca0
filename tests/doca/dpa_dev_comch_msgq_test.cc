// doca_dpa_dev_comch_msgq.h: device functions that talk to the CPU, in whole programs.
#include <cstring>

#include "doca/msgq_program.h"

namespace comch::test {
namespace {

constexpr std::uint32_t kCpu = 1;  // The first consumer of every MsgQ.
constexpr std::uint32_t kFlags =
    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS;

DeviceArgument& argument_at(std::uint64_t address) {
  return *reinterpret_cast<DeviceArgument*>(address);
}

// Calls `use` with each message that is there, and posts as many receives again.
template <class Use>
void serve(const DeviceArgument& self, const Use& use) {
  doca_dpa_dev_comch_consumer_completion_element_t element = 0;
  std::uint32_t count = 0;
  while (doca_dpa_dev_comch_consumer_get_completion(self.arrivals, &element) != 0) {
    std::uint32_t length = 0;
    const std::uint8_t* const message =
        doca_dpa_dev_comch_consumer_get_completion_imm(element, &length);
    use(message, length, doca_dpa_dev_comch_consumer_get_completion_producer_id(element));
    ++count;
  }
  doca_dpa_dev_comch_consumer_completion_ack(self.arrivals, count);
  doca_dpa_dev_comch_consumer_completion_request_notification(self.arrivals);
  doca_dpa_dev_comch_consumer_ack(self.consumer, count);
  doca_dpa_dev_thread_reschedule();
}

void echo(std::uint64_t address) {
  const DeviceArgument& self = argument_at(address);
  serve(self, [&](const std::uint8_t* message, std::uint32_t length, std::uint32_t) {
    doca_dpa_dev_comch_producer_post_send_imm_only(self.producer, kCpu, message, length, kFlags);
  });
}

std::string text_of(std::uint32_t number) { return "message " + std::to_string(number); }

TEST(DocaMsgqProgram, EveryMessageGoesThereAndBackInOrder) {
  constexpr std::uint32_t kMessages = 5000;
  MsgqProgram program(echo, 64);
  program.run();
  std::uint32_t sent = 0;
  ASSERT_TRUE(until(program.pe, [&] {
    while (sent < kMessages &&
           program.producer().send(kCpu, nullptr, text_of(sent)) == DOCA_SUCCESS) {
      ++sent;
    }
    return program.consumer().received.size() == kMessages;
  }));
  for (std::uint32_t n = 0; n < kMessages; ++n) {
    ASSERT_EQ(program.consumer().received[n].immediate, text_of(n));
  }
  EXPECT_EQ(doca_dpa_peek_at_last_error(program.dpa), DOCA_SUCCESS);
}

TEST(DocaMsgqProgram, EndsInTheMiddleOfItsTraffic) {
  MsgqProgram program(echo, 16);
  program.run();
  for (int n = 0; n < 16; ++n) {
    EXPECT_EQ(program.producer().send(kCpu, nullptr, "x"), DOCA_SUCCESS);
  }
}

// Asks the device for a completion of each send, and reads it.
void echo_with_reports(std::uint64_t address) {
  DeviceArgument& self = argument_at(address);
  doca_dpa_dev_completion_element_t element = 0;
  std::uint64_t completed = 0;
  while (doca_dpa_dev_get_completion(self.sends, &element) != 0) {
    if (doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_SEND &&
        doca_dpa_dev_get_completion_user_data(element) != 0) {
      ++*reinterpret_cast<std::atomic<std::uint64_t>*>(self.word);
    }
    ++completed;
  }
  doca_dpa_dev_completion_ack(self.sends, completed);
  doca_dpa_dev_completion_request_notification(self.sends);
  serve(self, [&](const std::uint8_t* message, std::uint32_t length, std::uint32_t producer) {
    EXPECT_EQ(producer, 1U);
    doca_dpa_dev_comch_producer_post_send_imm_only(self.producer, kCpu, message, length,
                                                   DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
  });
}

TEST(DocaMsgqProgram, ReportsItsSendsToTheDeviceWhenAsked) {
  std::atomic<std::uint64_t> completed{0};
  MsgqProgram program(echo_with_reports, 8, reinterpret_cast<std::uint64_t>(&completed));
  program.run();
  for (std::uint32_t n = 0; n < 8; ++n) {
    ASSERT_EQ(program.producer().send(kCpu, nullptr, text_of(n)), DOCA_SUCCESS);
  }
  ASSERT_TRUE(until(program.pe, [&] { return program.consumer().received.size() == 8; }));
  EXPECT_TRUE(eventually([&] { return completed == 8; }));
}

// What a device function is asked to do with the host's memory.
struct CopyOrder {
  doca_dpa_dev_mmap_t map;
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t size;
};

void copy_on_request(std::uint64_t address) {
  const DeviceArgument& self = argument_at(address);
  serve(self, [&](const std::uint8_t* message, std::uint32_t length, std::uint32_t) {
    const CopyOrder& order = *reinterpret_cast<const CopyOrder*>(self.word);
    doca_dpa_dev_comch_producer_dma_copy(self.producer, kCpu, order.map, order.to, order.map,
                                         order.from, order.size, message, length, kFlags);
  });
}

TEST(DocaMsgqProgram, ACopyIsDoneWhenItsMessageArrives) {
  CopyOrder order{};
  MsgqProgram program(copy_on_request, 4, reinterpret_cast<std::uint64_t>(&order));
  Memory memory(program.device);
  std::memcpy(memory.at(0), "bytes of the host", 17);
  ASSERT_EQ(doca_mmap_dev_get_dpa_handle(memory.map(), program.device, &order.map), DOCA_SUCCESS);
  order.to = reinterpret_cast<std::uint64_t>(memory.at(1000));
  order.from = reinterpret_cast<std::uint64_t>(memory.at(0));
  order.size = 17;
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "copy"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] { return !program.consumer().received.empty(); }));
  EXPECT_EQ(program.consumer().received[0].immediate, "copy");
  EXPECT_STREQ(memory.at(1000), "bytes of the host");
}

TEST(DocaMsgqProgram, ACopyBesideItsMapRuinsTheAcceleratorAndSendsNothing) {
  CopyOrder order{};
  MsgqProgram program(copy_on_request, 4, reinterpret_cast<std::uint64_t>(&order));
  Memory memory(program.device);
  ASSERT_EQ(doca_mmap_dev_get_dpa_handle(memory.map(), program.device, &order.map), DOCA_SUCCESS);
  order.to = 8;
  order.from = reinterpret_cast<std::uint64_t>(memory.at(0));
  order.size = 8;
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "copy"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] {
    return doca_dpa_peek_at_last_error(program.dpa) == DOCA_ERROR_BAD_STATE;
  }));
  EXPECT_TRUE(program.consumer().received.empty());
}

// Sends more than may be under way: it waits for the CPU, and for nothing else.
void send_many(std::uint64_t address) {
  const DeviceArgument& self = argument_at(address);
  serve(self, [&](const std::uint8_t*, std::uint32_t, std::uint32_t) {
    for (std::uint64_t n = 0; n < self.word; ++n) {
      const std::string text = text_of(static_cast<std::uint32_t>(n));
      doca_dpa_dev_comch_producer_post_send_imm_only(
          self.producer, kCpu, reinterpret_cast<const std::uint8_t*>(text.data()),
          static_cast<std::uint32_t>(text.size()), kFlags);
    }
  });
}

TEST(DocaMsgqProgram, ADeviceThatIsFasterThanTheCpuWaitsForIt) {
  constexpr std::uint32_t kMessages = 300;
  MsgqProgram program(send_many, 4, kMessages);
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "go"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] { return program.consumer().received.size() == kMessages; }));
  for (std::uint32_t n = 0; n < kMessages; ++n) {
    ASSERT_EQ(program.consumer().received[n].immediate, text_of(n));
  }
}

TEST(DocaMsgqProgram, ADeviceThatWaitsCanBeStopped) {
  MsgqProgram program(send_many, 4, 1000);
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "go"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] { return !program.consumer().received.empty(); }));
  // Nobody receives from here on.
  EXPECT_EQ(doca_dpa_thread_stop(program.thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_peek_at_last_error(program.dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_start(program.thread), DOCA_SUCCESS);
}

void send_to_all(std::uint64_t address) {
  const DeviceArgument& self = argument_at(address);
  auto& seen = *reinterpret_cast<std::atomic<std::uint64_t>*>(self.word);
  const std::uint8_t byte = 'x';
  const auto is_empty = [&](std::uint32_t consumer) {
    return doca_dpa_dev_comch_producer_is_consumer_empty(self.producer, consumer);
  };
  const int empty = is_empty(kCpu);
  const int nobody = is_empty(77);
  doca_dpa_dev_comch_producer_post_send_imm_only(self.producer, 77, &byte, 1, kFlags);
  const int word = 1 + 2 * empty + 4 * nobody;
  seen = static_cast<std::uint64_t>(word);
  serve(self, [](auto...) {});
}

TEST(DocaMsgqProgram, AMessageToAConsumerThatIsNotThereIsDropped) {
  std::atomic<std::uint64_t> seen{0};
  MsgqProgram program(send_to_all, 4, reinterpret_cast<std::uint64_t>(&seen));
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "go"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] { return seen != 0; }));
  EXPECT_EQ(seen, 5U) << "the CPU has receives posted, and nobody is empty";
  EXPECT_EQ(doca_dpa_peek_at_last_error(program.dpa), DOCA_SUCCESS);
}

void send_too_much(std::uint64_t address) {
  const DeviceArgument& self = argument_at(address);
  const std::uint8_t bytes[33] = {};
  doca_dpa_dev_comch_producer_post_send_imm_only(self.producer, kCpu, bytes, 33, kFlags);
}

TEST(DocaMsgqProgram, AMessageThatIsTooLongRuinsTheAccelerator) {
  MsgqProgram program(send_too_much, 4);
  program.run();
  ASSERT_EQ(program.producer().send(kCpu, nullptr, "go"), DOCA_SUCCESS);
  ASSERT_TRUE(until(program.pe, [&] {
    return doca_dpa_peek_at_last_error(program.dpa) == DOCA_ERROR_BAD_STATE;
  }));
}

}  // namespace
}  // namespace comch::test
