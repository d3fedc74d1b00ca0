// doca_comch_producer_task_send: a message; see doca_comch_producer.h. What every task has, its
// submission and its end, is in task.cc.
#include <cstddef>
#include <span>

#include "doca/comch_producer.h"
#include "doca/memory.h"
#include "doca/refuse.h"
#include "doca/task.h"

namespace doca = comch::doca;
using comch::ConsumerId;
using doca::engine_of;
using doca::null_argument;

namespace {

std::span<const std::byte> bytes_of(const uint8_t* data, uint32_t length) {
  return {reinterpret_cast<const std::byte*>(data), length};
}

}  // namespace

doca_error_t doca_comch_producer_task_send_alloc_init(doca_comch_producer* producer,
                                                      const doca_buf* buf, uint8_t* imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      doca_comch_producer_task_send** task) {
  if (producer == nullptr || task == nullptr) return null_argument();
  if (imm_data == nullptr && imm_data_len != 0) return null_argument();
  if (!producer->on_cpu) return doca::only_on_cpu();
  const auto made = producer->on_cpu->allocate_send(
      engine_of(buf), bytes_of(imm_data, imm_data_len), ConsumerId{consumer_id});
  if (!made) return doca::answer(made.error());
  *task = doca::producer_task_of(*made);
  return DOCA_SUCCESS;
}

const doca_buf* doca_comch_producer_task_send_get_buf(const doca_comch_producer_task_send* task) {
  if (task == nullptr) return nullptr;
  return doca::handle_of(engine_of(*task).buffer());
}

void doca_comch_producer_task_send_set_buf(doca_comch_producer_task_send* task,
                                           const doca_buf* buf) {
  if (task == nullptr) return;
  doca::answer(engine_of(*task).set_buffer(engine_of(buf)));
}

uint32_t doca_comch_producer_task_send_get_consumer_id(const doca_comch_producer_task_send* task) {
  if (task == nullptr) return 0;
  return static_cast<uint32_t>(engine_of(*task).consumer());
}

void doca_comch_producer_task_send_set_consumer_id(doca_comch_producer_task_send* task,
                                                   const uint32_t consumer_id) {
  if (task == nullptr) return;
  doca::answer(engine_of(*task).set_consumer(ConsumerId{consumer_id}));
}

// The program gave the bytes as its own to change, and gets them back so.
uint8_t* doca_comch_producer_task_send_get_imm_data(const doca_comch_producer_task_send* task) {
  if (task == nullptr) return nullptr;
  const std::byte* const data = engine_of(*task).immediate().data();
  return reinterpret_cast<uint8_t*>(const_cast<std::byte*>(data));
}

uint32_t doca_comch_producer_task_send_get_imm_data_len(const doca_comch_producer_task_send* task) {
  if (task == nullptr) return 0;
  return static_cast<uint32_t>(engine_of(*task).immediate().size());
}

void doca_comch_producer_task_send_set_imm_data(doca_comch_producer_task_send* task,
                                                uint8_t* imm_data, uint32_t imm_data_len) {
  if (task == nullptr || (imm_data == nullptr && imm_data_len != 0)) return;
  doca::answer(engine_of(*task).set_immediate(bytes_of(imm_data, imm_data_len)));
}

doca_task* doca_comch_producer_task_send_as_task(doca_comch_producer_task_send* task) {
  return reinterpret_cast<doca_task*>(task);
}
