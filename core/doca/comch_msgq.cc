// doca_comch_msgq: the engine's MsgQ under another name; see doca_comch_msgq.h. Its ends are those
// of comch_consumer.h and comch_producer.h.
#include <doca_comch_msgq.h>

#include <memory>
#include <tuple>

#include "comch/msgq.h"
#include "doca/comch_consumer.h"
#include "doca/comch_producer.h"
#include "doca/dev.h"
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::MsgQ;
using doca::answer;
using doca::null_argument;

namespace {

MsgQ& engine_of(doca_comch_msgq& msgq) { return reinterpret_cast<MsgQ&>(msgq); }

}  // namespace

doca_error_t doca_comch_msgq_create(doca_dev* dev, doca_comch_msgq** msgq) {
  if (dev == nullptr || msgq == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = MsgQ::create(dev->device);
    if (!made) return answer(made.error());
    *msgq = reinterpret_cast<doca_comch_msgq*>(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comch_msgq_destroy(doca_comch_msgq* msgq) {
  if (msgq == nullptr) return null_argument();
  std::unique_ptr<MsgQ> owned(&engine_of(*msgq));
  const comch::Status destroyed = MsgQ::destroy(owned);
  std::ignore = owned.release();  // The program's again, if it is left.
  return answer(destroyed);
}

doca_error_t doca_comch_msgq_set_dpa_consumer(doca_comch_msgq* msgq, doca_dpa* dpa) {
  if (msgq == nullptr || dpa == nullptr) return null_argument();
  return answer(engine_of(*msgq).set_accelerator_consumer(dpa->accelerator()));
}

doca_error_t doca_comch_msgq_set_max_num_consumers(doca_comch_msgq* msgq,
                                                   uint32_t max_num_consumers) {
  if (msgq == nullptr) return null_argument();
  return answer(engine_of(*msgq).set_max_consumers(max_num_consumers));
}

doca_error_t doca_comch_msgq_set_dpa_producer(doca_comch_msgq* msgq, doca_dpa* dpa) {
  if (msgq == nullptr || dpa == nullptr) return null_argument();
  return answer(engine_of(*msgq).set_accelerator_producer(dpa->accelerator()));
}

doca_error_t doca_comch_msgq_set_max_num_producers(doca_comch_msgq* msgq,
                                                   uint32_t max_num_producers) {
  if (msgq == nullptr) return null_argument();
  return answer(engine_of(*msgq).set_max_producers(max_num_producers));
}

doca_error_t doca_comch_msgq_start(doca_comch_msgq* msgq) {
  if (msgq == nullptr) return null_argument();
  return doca::guarded([&] { return answer(engine_of(*msgq).start()); });
}

doca_error_t doca_comch_msgq_stop(doca_comch_msgq* msgq) {
  if (msgq == nullptr) return null_argument();
  return answer(engine_of(*msgq).stop());
}

doca_error_t doca_comch_msgq_consumer_create(doca_comch_msgq* msgq,
                                             doca_comch_consumer** consumer) {
  if (msgq == nullptr || consumer == nullptr) return null_argument();
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    MsgQ& queue = engine_of(*msgq);
    if (queue.accelerator_consumer() != nullptr) {
      return doca::hand_out_end(comch::dpa::Consumer::create(queue), consumer, where);
    }
    return doca::hand_out_end(comch::Consumer::create(queue), consumer, where);
  });
}

doca_error_t doca_comch_msgq_producer_create(doca_comch_msgq* msgq,
                                             doca_comch_producer** producer) {
  if (msgq == nullptr || producer == nullptr) return null_argument();
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    MsgQ& queue = engine_of(*msgq);
    if (queue.accelerator_producer() != nullptr) {
      return doca::hand_out_end(comch::dpa::Producer::create(queue), producer, where);
    }
    return doca::hand_out_end(comch::Producer::create(queue), producer, where);
  });
}
