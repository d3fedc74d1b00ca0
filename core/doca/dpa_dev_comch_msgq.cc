// The accelerator's ends of a MsgQ, as device functions use them: see doca_dpa_dev_comch_msgq.h.
#include <doca_dpa_dev_comch_msgq.h>

#include <cstddef>
#include <span>

#include "comch/msgq.h"
#include "doca/dpa_dev_buf.h"
#include "doca/dpa_run.h"

namespace doca = comch::doca;
using comch::ConsumerId;
using comch::Errc;
using comch::Result;
using comch::Status;
using comch::dpa::Consumer;
using comch::dpa::ConsumerCompletion;
using comch::dpa::MapAddress;
using comch::dpa::Producer;
using comch::dpa::ReceiveElement;
using doca::element_at;
using doca::HeldObject;
using doca::settle;
using doca::with_object;

namespace {

std::span<const std::byte> bytes_of(const uint8_t* data, uint32_t length) {
  return {reinterpret_cast<const std::byte*>(data), length};
}

Result<bool> is_empty(doca_dpa_dev_comch_producer_t producer, ConsumerId consumer) {
  return with_object<Producer>(producer,
                               [=](auto& object) { return object.is_consumer_empty(consumer); });
}

bool is_there(doca_dpa_dev_comch_producer_t producer, ConsumerId consumer) {
  const Result<bool> empty = is_empty(producer, consumer);
  return empty || empty.error().code != Errc::invalid_value;
}

// `send` until there is room for it. A consumer may end at any moment, which is no fault of the
// device function's: what is sent to it is dropped.
template <class Send>
void send_to(doca_dpa_dev_comch_producer_t producer, ConsumerId consumer, uint32_t length,
             const Send& send, std::source_location where = std::source_location::current()) {
  if (length > comch::MsgQ::kMaxImmediate) {
    return doca::fault({Errc::invalid_value, 0, "a message of a MsgQ has at most 32 bytes"}, where);
  }
  const Status sent = doca::insist<Producer>(producer, send);
  if (!sent && sent.error().code == Errc::invalid_value && !is_there(producer, consumer)) {
    return doca::warn_from_device("a message to a consumer that is not there was dropped");
  }
  settle(sent, where);
}

}  // namespace

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg) {
  settle(with_object<Consumer>(consumer, [=](auto& object) { return object.ack(num_msg); }));
}

int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
    doca_dpa_dev_comch_consumer_completion_element_t* comp_element) {
  const HeldObject<ConsumerCompletion> completion(consumer_comp_handle);
  const ReceiveElement* const element = completion ? completion->get_completion() : nullptr;
  if (element == nullptr) return 0;
  *comp_element = doca::address_of(element);
  return 1;
}

const uint8_t* doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t* imm_length) {
  const ReceiveElement* const element = element_at<ReceiveElement>(comp_element);
  const auto immediate = element != nullptr ? element->immediate : decltype(element->immediate){};
  if (imm_length != nullptr) *imm_length = static_cast<uint32_t>(immediate.size());
  return reinterpret_cast<const uint8_t*>(immediate.data());
}

uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element) {
  const ReceiveElement* const element = element_at<ReceiveElement>(comp_element);
  return element != nullptr ? static_cast<uint32_t>(element->producer) : 0;
}

void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp) {
  settle(with_object<ConsumerCompletion>(
      consumer_comp_handle, [=](auto& completion) { return completion.acknowledge(num_comp); }));
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle) {
  settle(with_object<ConsumerCompletion>(
      consumer_comp_handle, [](auto& completion) { return completion.request_notification(); }));
}

int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
                                                  uint32_t consumer_id) {
  return is_empty(producer, ConsumerId{consumer_id}).value_or(true) ? 1 : 0;
}

void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
                                                    uint32_t consumer_id, const uint8_t* imm,
                                                    uint32_t imm_length, uint32_t flags) {
  const ConsumerId to{consumer_id};
  send_to(producer, to, imm_length, [&](Producer& from) {
    return from.post_immediate(to, bytes_of(imm, imm_length), doca::submit_of(flags));
  });
}

void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
                                          uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
                                          uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
                                          uint64_t src_addr, size_t length, const uint8_t* imm,
                                          uint32_t imm_length, uint32_t flags) {
  const Result<MapAddress> target = doca::address_in(dst_mmap, dst_addr);
  if (!target) return doca::fault(target.error());
  const Result<MapAddress> source = doca::address_in(src_mmap, src_addr);
  if (!source) return doca::fault(source.error());
  const ConsumerId to{consumer_id};
  send_to(producer, to, imm_length, [&](Producer& from) {
    return from.dma_copy(to, *target, *source, length, bytes_of(imm, imm_length),
                         doca::submit_of(flags));
  });
}
