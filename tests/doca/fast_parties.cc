// Fast parties: see fast_parties.h.
#include "doca/fast_parties.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "doca/must.h"

namespace comch::test {

namespace {

template <class Party>
Party& party_of(doca_data data) {
  return *static_cast<Party*>(data.ptr);
}

template <class Party>
void on_state(const doca_data data, doca_ctx*, doca_ctx_states, doca_ctx_states now) {
  party_of<Party>(data).states.push_back(now);
}

void on_producer_state(const doca_data data, doca_ctx* ctx, doca_ctx_states before,
                       doca_ctx_states now) {
  on_state<ProducerParty>(data, ctx, before, now);
  if (now == DOCA_CTX_STATE_RUNNING) party_of<ProducerParty>(data).then_running();
}

void on_received(doca_comch_consumer_task_post_recv* task, doca_data word, doca_data data) {
  ConsumerParty& party = party_of<ConsumerParty>(data);
  const doca_buf* const buffer = doca_comch_consumer_task_post_recv_get_buf(task);
  const uint8_t* const immediate = doca_comch_consumer_task_post_recv_get_imm_data(task);
  party.received.push_back(
      {.data = buffer == nullptr ? "" : text_of(buffer),
       .immediate = {reinterpret_cast<const char*>(immediate),
                     doca_comch_consumer_task_post_recv_get_imm_data_len(task)},
       .producer = doca_comch_consumer_task_post_recv_get_producer_id(task),
       .task_word = word.u64});
  party.then_received(task);
}

void on_receive_failed(doca_comch_consumer_task_post_recv* task, doca_data, doca_data data) {
  doca_task* const ended = doca_comch_consumer_task_post_recv_as_task(task);
  party_of<ConsumerParty>(data).failed.push_back(doca_task_get_status(ended));
  doca_task_free(ended);
}

void on_sent(doca_comch_producer_task_send* task, doca_data, doca_data data) {
  doca_task* const ended = doca_comch_producer_task_send_as_task(task);
  party_of<ProducerParty>(data).completed.push_back(doca_task_get_status(ended));
  doca_task_free(ended);
}

void end(doca_pe* pe, doca_ctx* ctx) {
  if (state_of(ctx) == DOCA_CTX_STATE_IDLE) return;
  const doca_error_t stopped = doca_ctx_stop(ctx);
  EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS) << stopped;
  EXPECT_TRUE(until(pe, [&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }));
}

}  // namespace

// --- Memory ------------------------------------------------------------------------------

Memory::Memory(doca_dev* device, std::size_t size, std::uint32_t access, bool started)
    : bytes_(new char[size]) {
  constexpr std::size_t kBuffers = 2048;
  std::memset(bytes_.get(), 0, size);
  must(doca_mmap_create(&map_), "doca_mmap_create");
  must(doca_mmap_set_memrange(map_, bytes_.get(), size), "doca_mmap_set_memrange");
  must(doca_mmap_set_permissions(map_, access), "doca_mmap_set_permissions");
  must(doca_mmap_add_dev(map_, device), "doca_mmap_add_dev");
  if (started) must(doca_mmap_start(map_), "doca_mmap_start");
  must(doca_buf_inventory_create(kBuffers, &inventory_), "doca_buf_inventory_create");
  must(doca_buf_inventory_start(inventory_), "doca_buf_inventory_start");
}

Memory::~Memory() {
  for (doca_buf* buffer : lent_) EXPECT_EQ(doca_buf_dec_refcount(buffer, nullptr), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_inventory_destroy(inventory_), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(map_), DOCA_SUCCESS);
}

doca_buf* Memory::room(std::size_t offset, std::size_t size) {
  must(
      doca_buf_inventory_buf_get_by_addr(inventory_, map_, at(offset), size, &lent_.emplace_back()),
      "buf_get_by_addr");
  return lent_.back();
}

doca_buf* Memory::data(std::string_view text, std::size_t offset) {
  std::ranges::copy(text, at(offset));
  must(doca_buf_inventory_buf_get_by_data(inventory_, map_, at(offset), text.size(),
                                          &lent_.emplace_back()),
       "buf_get_by_data");
  return lent_.back();
}

std::string text_of(const doca_buf* buffer) {
  void* data = nullptr;
  std::size_t length = 0;
  must(doca_buf_get_data(buffer, &data), "doca_buf_get_data");
  must(doca_buf_get_data_len(buffer, &length), "doca_buf_get_data_len");
  return {static_cast<const char*>(data), length};
}

// --- ConsumerParty -----------------------------------------------------------------------

ConsumerParty::ConsumerParty(doca_pe* engine, doca_comch_connection* connection,
                             const Memory& memory, std::uint32_t tasks)
    : pe(engine) {
  must(doca_comch_consumer_create(connection, memory.map(), &consumer), "consumer_create");
  configure(tasks);
}

ConsumerParty::ConsumerParty(doca_pe* engine, doca_comch_msgq* msgq, std::uint32_t tasks)
    : pe(engine) {
  must(doca_comch_msgq_consumer_create(msgq, &consumer), "msgq_consumer_create");
  configure(tasks);
}

void ConsumerParty::configure(std::uint32_t tasks) {
  then_received = [](doca_comch_consumer_task_post_recv* task) {
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
  };
  must(doca_comch_consumer_task_post_recv_set_conf(consumer, on_received, on_receive_failed, tasks),
       "post_recv_set_conf");
  must(doca_ctx_set_user_data(ctx(), {.ptr = this}), "doca_ctx_set_user_data");
  must(doca_ctx_set_state_changed_cb(ctx(), on_state<ConsumerParty>), "set_state_changed_cb");
  must(doca_pe_connect_ctx(pe, ctx()), "doca_pe_connect_ctx");
}

ConsumerParty::~ConsumerParty() {
  if (consumer == nullptr) return;
  end(pe, ctx());
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
}

std::uint32_t ConsumerParty::id() const {
  std::uint32_t id = 0;
  must(doca_comch_consumer_get_id(consumer, &id), "doca_comch_consumer_get_id");
  return id;
}

doca_error_t ConsumerParty::post(doca_buf* buffer, std::uint64_t word) {
  doca_comch_consumer_task_post_recv* task = nullptr;
  const doca_error_t made = doca_comch_consumer_task_post_recv_alloc_init(consumer, buffer, &task);
  if (made != DOCA_SUCCESS) return made;
  doca_task* const posted = doca_comch_consumer_task_post_recv_as_task(task);
  doca_task_set_user_data(posted, {.u64 = word});
  return doca_task_submit(posted);
}

// --- ProducerParty -----------------------------------------------------------------------

ProducerParty::ProducerParty(doca_pe* engine, doca_comch_connection* connection,
                             std::uint32_t tasks)
    : pe(engine) {
  must(doca_comch_producer_create(connection, &producer), "producer_create");
  configure(tasks);
}

ProducerParty::ProducerParty(doca_pe* engine, doca_comch_msgq* msgq, std::uint32_t tasks)
    : pe(engine) {
  must(doca_comch_msgq_producer_create(msgq, &producer), "msgq_producer_create");
  configure(tasks);
}

void ProducerParty::configure(std::uint32_t tasks) {
  must(doca_comch_producer_task_send_set_conf(producer, on_sent, on_sent, tasks), "send_set_conf");
  must(doca_ctx_set_user_data(ctx(), {.ptr = this}), "doca_ctx_set_user_data");
  must(doca_ctx_set_state_changed_cb(ctx(), on_producer_state), "set_state_changed_cb");
  must(doca_pe_connect_ctx(pe, ctx()), "doca_pe_connect_ctx");
}

ProducerParty::~ProducerParty() {
  if (producer == nullptr) return;
  end(pe, ctx());
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
}

doca_error_t ProducerParty::send(std::uint32_t to, const doca_buf* buffer,
                                 std::string_view immediate) {
  // Copied by the submission; a program may give bytes that it changes afterwards.
  std::string bytes(immediate);
  doca_comch_producer_task_send* task = nullptr;
  const doca_error_t made = doca_comch_producer_task_send_alloc_init(
      producer, buffer, reinterpret_cast<uint8_t*>(bytes.data()),
      static_cast<uint32_t>(bytes.size()), to, &task);
  if (made != DOCA_SUCCESS) return made;
  doca_task* const message = doca_comch_producer_task_send_as_task(task);
  const doca_error_t sent = doca_task_submit(message);
  if (sent != DOCA_SUCCESS) doca_task_free(message);
  return sent;
}

// --- The test ----------------------------------------------------------------------------

FastTest::FastTest() {
  must(server.start(), "server start");
  if (!client.connect()) throw std::runtime_error("the client cannot connect");
  if (!run_until([this] { return !server.connections.empty(); })) {
    throw std::runtime_error("the server does not hear of the client");
  }
}

bool FastTest::run(ConsumerParty& consumer) {
  if (doca_ctx_start(consumer.ctx()) != DOCA_ERROR_IN_PROGRESS) return false;
  return run_until([&] {
    return consumer.state() == DOCA_CTX_STATE_RUNNING &&
           (std::ranges::count(client.consumers, consumer.id()) == 1 ||
            std::ranges::count(server.consumers, consumer.id()) == 1);
  });
}

}  // namespace comch::test
