// Fast parties: memory, consumers and producers of the C API, used as a program uses them, which
// write down all that happens to them.
//
//   struct SomeTest : FastTest {};                  a server and a client that are connected
//   Memory memory(server.device, 1 << 20);
//   ConsumerParty consumer(pe, server_side(), memory);
//   ASSERT_TRUE(run(consumer));                     kStarting, then kRunning
//   ASSERT_EQ(consumer.post(memory.room(0, 64)), DOCA_SUCCESS);
//   ProducerParty producer(pe, client_side());
//   ASSERT_EQ(producer.send(consumer.id(), memory.data("hello")), DOCA_SUCCESS);
//
// Threads: the engine's. Lifetime: outlived by the engine and the memory; an end that is not
// idle when it goes is stopped, and its engine run until it is.
#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "doca/control_parties.h"

namespace comch::test {

// Memory as malloc gives it, with a map and an inventory.
class Memory {
 public:
  explicit Memory(doca_dev* device, std::size_t size = 1 << 16,
                  std::uint32_t access = DOCA_ACCESS_FLAG_PCI_READ_WRITE, bool started = true);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  char* at(std::size_t offset) const { return bytes_.get() + offset; }
  // A buffer without data, and one whose data is `text`, which is put at `offset`.
  doca_buf* room(std::size_t offset, std::size_t size);
  doca_buf* data(std::string_view text, std::size_t offset = 0);
  doca_mmap* map() const { return map_; }

 private:
  std::unique_ptr<char[]> bytes_;
  doca_mmap* map_ = nullptr;
  doca_buf_inventory* inventory_ = nullptr;
  std::vector<doca_buf*> lent_;
};

std::string text_of(const doca_buf* buffer);

struct Received {
  std::string data;
  std::string immediate;
  std::uint32_t producer = 0;
  std::uint64_t task_word = 0;
};

class ConsumerParty {
 public:
  ConsumerParty(doca_pe* engine, doca_comch_connection* connection, const Memory& memory,
                std::uint32_t tasks = 16);
  ConsumerParty(doca_pe* engine, doca_comch_msgq* msgq, std::uint32_t tasks = 16);
  ~ConsumerParty();
  ConsumerParty(const ConsumerParty&) = delete;
  ConsumerParty& operator=(const ConsumerParty&) = delete;

  doca_ctx* ctx() const { return doca_comch_consumer_as_ctx(consumer); }
  doca_ctx_states state() const { return state_of(ctx()); }
  std::uint32_t id() const;
  // Allocates a task and submits it.
  doca_error_t post(doca_buf* buffer, std::uint64_t word = 0);

  doca_pe* const pe;
  doca_comch_consumer* consumer = nullptr;
  std::vector<Received> received;
  std::vector<doca_error_t> failed;
  std::vector<doca_ctx_states> states;
  // What becomes of the task of a message that came; it is freed at first.
  std::function<void(doca_comch_consumer_task_post_recv*)> then_received;

 private:
  void configure(std::uint32_t tasks);
};

class ProducerParty {
 public:
  ProducerParty(doca_pe* engine, doca_comch_connection* connection, std::uint32_t tasks = 16);
  ProducerParty(doca_pe* engine, doca_comch_msgq* msgq, std::uint32_t tasks = 16);
  ~ProducerParty();
  ProducerParty(const ProducerParty&) = delete;
  ProducerParty& operator=(const ProducerParty&) = delete;

  doca_ctx* ctx() const { return doca_comch_producer_as_ctx(producer); }
  doca_ctx_states state() const { return state_of(ctx()); }
  doca_error_t start() { return doca_ctx_start(ctx()); }
  // Allocates a task and submits it; frees it if that fails.
  doca_error_t send(std::uint32_t to, const doca_buf* buffer, std::string_view immediate = {});

  doca_pe* const pe;
  doca_comch_producer* producer = nullptr;
  std::vector<doca_error_t> completed;
  std::vector<doca_ctx_states> states;
  std::function<void()> then_running = [] {};

 private:
  void configure(std::uint32_t tasks);
};

// A server and a client in one engine, connected.
struct FastTest : ControlTest {
  FastTest();

  doca_comch_connection* server_side() const { return server.connections.front(); }
  doca_comch_connection* client_side() const { return client.connection(); }
  // Starts it, and runs the engine until it runs and the client knows of it.
  bool run(ConsumerParty& consumer);
  bool run_until(const std::function<bool()>& done) { return until(pe, done); }
  // The server ends the connection of one of the client's side, which is idle then as the client.
  bool end_connection_of(const auto& party) {
    const doca_error_t stopped = server.stop();
    EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
    return run_until([&] {
      return party.state() == DOCA_CTX_STATE_IDLE && client.state() == DOCA_CTX_STATE_IDLE;
    });
  }
  // And whatever is done with that connection's client, the party does not start any more.
  void expect_no_start_of(const auto& party) {
    EXPECT_EQ(doca_ctx_start(party.ctx()), DOCA_ERROR_CONNECTION_RESET);
    ASSERT_EQ(doca_comch_client_destroy(client.client), DOCA_SUCCESS);
    client.client = nullptr;
    EXPECT_EQ(doca_ctx_start(party.ctx()), DOCA_ERROR_CONNECTION_RESET);
    EXPECT_EQ(party.state(), DOCA_CTX_STATE_IDLE);
  }

  ServerParty server{pe};
  ClientParty client{pe};
};

}  // namespace comch::test
