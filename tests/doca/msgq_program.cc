// MsgqProgram: see msgq_program.h.
#include "doca/msgq_program.h"

#include "doca/must.h"

DOCA_DPA_APP_DEFINE(msgq_program_app)

namespace comch::test {

namespace {

constexpr std::uint32_t kMessage = 32;  // Bytes, the most there are.

// The first receives are posted by a call, before the thread is ever run.
std::uint64_t post_receives(doca_dpa_dev_comch_consumer_t consumer, std::uint32_t count) {
  doca_dpa_dev_comch_consumer_ack(consumer, count);
  return 0;
}

doca_comch_msgq* make_queue(doca_dev* device) {
  doca_comch_msgq* msgq = nullptr;
  must(doca_comch_msgq_create(device, &msgq), "msgq_create");
  must(doca_comch_msgq_set_max_num_consumers(msgq, 1), "set_max_num_consumers");
  must(doca_comch_msgq_set_max_num_producers(msgq, 1), "set_max_num_producers");
  return msgq;
}

}  // namespace

MsgqProgram::MsgqProgram(void (*function)(std::uint64_t), std::uint32_t messages,
                         std::uint64_t word)
    : depth(messages) {
  argument.word = word;
  must(doca_pe_create(&pe), "doca_pe_create");
  make_accelerator(function);
  make_completions();
  make_to_accelerator();
  make_to_cpu();
  take_handles();
}

void MsgqProgram::make_accelerator(void (*function)(std::uint64_t)) {
  must(doca_dpa_create(device, &dpa), "doca_dpa_create");
  must(doca_dpa_set_app(dpa, msgq_program_app), "doca_dpa_set_app");
  must(doca_dpa_start(dpa), "doca_dpa_start");
  must(doca_dpa_mem_alloc(dpa, sizeof argument, &argument_there_), "doca_dpa_mem_alloc");
  must(doca_dpa_thread_create(dpa, &thread), "doca_dpa_thread_create");
  must(doca_dpa_thread_set_func_arg(thread, device_function(function), argument_there_),
       "set_func_arg");
  must(doca_dpa_thread_start(thread), "doca_dpa_thread_start");
}

void MsgqProgram::make_completions() {
  must(doca_comch_consumer_completion_create(&arrivals_), "consumer_completion_create");
  must(doca_comch_consumer_completion_set_max_num_recv(arrivals_, depth), "set_max_num_recv");
  must(doca_comch_consumer_completion_set_imm_data_len(arrivals_, kMessage), "set_imm_data_len");
  must(doca_comch_consumer_completion_set_dpa_thread(arrivals_, thread), "set_dpa_thread");
  must(doca_comch_consumer_completion_start(arrivals_), "consumer_completion_start");
  must(doca_dpa_completion_create(dpa, depth, &sends_), "doca_dpa_completion_create");
  must(doca_dpa_completion_set_thread(sends_, thread), "doca_dpa_completion_set_thread");
  must(doca_dpa_completion_start(sends_), "doca_dpa_completion_start");
}

void MsgqProgram::make_to_accelerator() {
  to_accelerator_ = make_queue(device);
  must(doca_comch_msgq_set_dpa_consumer(to_accelerator_, dpa), "set_dpa_consumer");
  must(doca_comch_msgq_start(to_accelerator_), "msgq_start");
  must(doca_comch_msgq_consumer_create(to_accelerator_, &dpa_consumer_), "consumer_create");
  must(doca_comch_consumer_set_imm_data_len(dpa_consumer_, kMessage), "set_imm_data_len");
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(dpa_consumer_);
  must(doca_ctx_set_datapath_on_dpa(ctx, dpa), "set_datapath_on_dpa");
  must(doca_comch_consumer_set_completion(dpa_consumer_, arrivals_, 0), "set_completion");
  must(doca_comch_consumer_set_dev_max_num_recv(dpa_consumer_, depth), "set_dev_max_num_recv");
  must(doca_ctx_start(ctx), "start of the consumer on the accelerator");
  cpu_producer_ = std::make_unique<ProducerParty>(pe, to_accelerator_, depth);
  must(cpu_producer_->start(), "start of the producer on the CPU");
}

void MsgqProgram::make_to_cpu() {
  to_cpu_ = make_queue(device);
  must(doca_comch_msgq_set_dpa_producer(to_cpu_, dpa), "set_dpa_producer");
  must(doca_comch_msgq_start(to_cpu_), "msgq_start");
  cpu_consumer_ = std::make_unique<ConsumerParty>(pe, to_cpu_, depth);
  must(doca_comch_consumer_set_imm_data_len(cpu_consumer_->consumer, kMessage), "set_imm_data_len");
  must(doca_ctx_start(cpu_consumer_->ctx()), "start of the consumer on the CPU");
  must(doca_comch_msgq_producer_create(to_cpu_, &dpa_producer_), "producer_create");
  doca_ctx* const ctx = doca_comch_producer_as_ctx(dpa_producer_);
  must(doca_ctx_set_datapath_on_dpa(ctx, dpa), "set_datapath_on_dpa");
  must(doca_comch_producer_set_dev_max_num_send(dpa_producer_, depth), "set_dev_max_num_send");
  must(doca_comch_producer_dpa_completion_attach(dpa_producer_, sends_), "completion_attach");
  must(doca_ctx_start(ctx), "start of the producer on the accelerator");
}

void MsgqProgram::take_handles() {
  must(doca_comch_consumer_completion_get_dpa_handle(arrivals_, &argument.arrivals), "arrivals");
  must(doca_dpa_completion_get_dpa_handle(sends_, &argument.sends), "sends");
  must(doca_comch_consumer_get_dpa_handle(dpa_consumer_, &argument.consumer), "consumer");
  must(doca_comch_producer_get_dpa_handle(dpa_producer_, &argument.producer), "producer");
}

void MsgqProgram::run() {
  cpu_consumer_->then_received = [](doca_comch_consumer_task_post_recv* task) {
    EXPECT_EQ(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)), DOCA_SUCCESS);
  };
  for (std::uint32_t n = 0; n < depth; ++n) must(cpu_consumer_->post(nullptr), "post");
  std::uint64_t answer = 0;
  must(doca_dpa_rpc(dpa, device_function(post_receives), &answer, argument.consumer, depth),
       "doca_dpa_rpc");
  must(doca_dpa_h2d_memcpy(dpa, argument_there_, &argument, sizeof argument), "h2d_memcpy");
  must(doca_dpa_thread_run(thread), "doca_dpa_thread_run");
}

void MsgqProgram::stop_cpu_ends() {
  for (doca_ctx* ctx : {cpu_consumer_->ctx(), cpu_producer_->ctx()}) {
    const doca_error_t stopped = doca_ctx_stop(ctx);
    EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_BAD_STATE ||
                stopped == DOCA_ERROR_IN_PROGRESS)
        << stopped;
  }
  EXPECT_TRUE(until(pe, [this] {
    return cpu_consumer_->state() == DOCA_CTX_STATE_IDLE &&
           cpu_producer_->state() == DOCA_CTX_STATE_IDLE;
  }));
}

MsgqProgram::~MsgqProgram() {
  stop_cpu_ends();
  EXPECT_EQ(doca_ctx_stop(doca_comch_producer_as_ctx(dpa_producer_)), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_producer_destroy(dpa_producer_), DOCA_SUCCESS);
  cpu_consumer_.reset();
  cpu_producer_.reset();
  EXPECT_EQ(doca_ctx_stop(doca_comch_consumer_as_ctx(dpa_consumer_)), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_destroy(dpa_consumer_), DOCA_SUCCESS);
  for (doca_comch_msgq* msgq : {to_cpu_, to_accelerator_}) {
    EXPECT_EQ(doca_comch_msgq_stop(msgq), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_msgq_destroy(msgq), DOCA_SUCCESS);
  }
  EXPECT_EQ(doca_dpa_completion_stop(sends_), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_destroy(sends_), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_stop(arrivals_), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(arrivals_), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  doca_dpa_mem_free(dpa, argument_there_);  // Of a ruined accelerator it goes with that.
  EXPECT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS);
}

}  // namespace comch::test
