// doca_comch_consumer_task_post_recv: a posted buffer; see doca_comch_consumer.h. What every task
// has, its submission and its end, is in task.cc.
#include <cstddef>

#include "doca/comch_consumer.h"
#include "doca/memory.h"
#include "doca/refuse.h"
#include "doca/task.h"

namespace doca = comch::doca;
using doca::engine_of;
using doca::null_argument;

doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
    doca_comch_consumer* consumer, doca_buf* buf, doca_comch_consumer_task_post_recv** task) {
  if (consumer == nullptr || task == nullptr) return null_argument();
  if (!consumer->on_cpu) return doca::only_on_cpu();
  const auto made = consumer->on_cpu->allocate_receive(engine_of(buf));
  if (!made) return doca::answer(made.error());
  *task = doca::receive_task_of(*made);
  return DOCA_SUCCESS;
}

doca_buf* doca_comch_consumer_task_post_recv_get_buf(
    const doca_comch_consumer_task_post_recv* task) {
  if (task == nullptr) return nullptr;
  return doca::handle_of(engine_of(*task).buffer());
}

void doca_comch_consumer_task_post_recv_set_buf(doca_comch_consumer_task_post_recv* task,
                                                doca_buf* buf) {
  if (task == nullptr) return;
  doca::answer(engine_of(*task).set_buffer(engine_of(buf)));
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const doca_comch_consumer_task_post_recv* task) {
  if (task == nullptr) return 0;
  return static_cast<uint32_t>(engine_of(*task).producer());
}

const uint8_t* doca_comch_consumer_task_post_recv_get_imm_data(
    const doca_comch_consumer_task_post_recv* task) {
  if (task == nullptr) return nullptr;
  return reinterpret_cast<const uint8_t*>(engine_of(*task).immediate().data());
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const doca_comch_consumer_task_post_recv* task) {
  if (task == nullptr) return 0;
  return static_cast<uint32_t>(engine_of(*task).immediate().size());
}

doca_task* doca_comch_consumer_task_post_recv_as_task(doca_comch_consumer_task_post_recv* task) {
  return reinterpret_cast<doca_task*>(task);
}
