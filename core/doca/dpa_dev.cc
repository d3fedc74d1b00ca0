// What device functions may call about their thread, completions and the log: see doca_dpa_dev.h.
#include <doca_dpa_dev.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "doca/dpa_run.h"

namespace doca = comch::doca;
using comch::dpa::Notification;
using comch::dpa::ProducerCompletion;
using comch::dpa::SendElement;
using doca::current_run;
using doca::element_at;
using doca::HeldObject;
using doca::settle;
using doca::with_object;

// --- The thread --------------------------------------------------------------------------

void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle) {
  if (current_run() == nullptr) return;
  settle(with_object<doca_dpa>(dpa_handle, [](doca_dpa& dpa) {
    current_run()->dpa = &dpa;
    return comch::Status();
  }));
}

unsigned int doca_dpa_dev_thread_rank() {
  return current_run() == nullptr ? 0 : current_run()->run.rank();
}

unsigned int doca_dpa_dev_num_threads() {
  return current_run() == nullptr ? 0 : current_run()->run.count();
}

doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage() {
  if (current_run() == nullptr) return 0;
  return static_cast<doca_dpa_dev_uintptr_t>(current_run()->run.local_storage());
}

void doca_dpa_dev_yield() { std::this_thread::yield(); }

void doca_dpa_dev_thread_reschedule() {
  if (current_run() != nullptr) throw doca::EndOfRun{};
}

void doca_dpa_dev_thread_finish() {
  if (current_run() == nullptr) return;
  current_run()->run.finish();
  throw doca::EndOfRun{};
}

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle) {
  settle(with_object<Notification>(comp_handle, [](auto& object) { return object.notify(); }));
}

// --- Completions -------------------------------------------------------------------------

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
                                doca_dpa_dev_completion_element_t* comp_element) {
  const HeldObject<ProducerCompletion> completion(dpa_comp_handle);
  const SendElement* const element = completion ? completion->get_completion() : nullptr;
  if (element == nullptr) return 0;
  *comp_element = doca::address_of(element);
  return 1;
}

doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
    doca_dpa_dev_completion_element_t comp_element) {
  const SendElement* const element = element_at<SendElement>(comp_element);
  const bool well = element != nullptr && element->status.has_value();
  return well ? DOCA_DPA_DEV_COMP_SEND : DOCA_DPA_DEV_COMP_SEND_ERR;
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element) {
  const SendElement* const element = element_at<SendElement>(comp_element);
  if (element == nullptr) return 0;
  if (element->producer != comch::ProducerId{}) return static_cast<uint32_t>(element->producer);
  return static_cast<uint32_t>(element->owner_user_data.value);
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t) { return 0; }

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp) {
  settle(with_object<ProducerCompletion>(
      dpa_comp_handle, [=](auto& completion) { return completion.acknowledge(num_comp); }));
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle) {
  settle(with_object<ProducerCompletion>(
      dpa_comp_handle, [](auto& completion) { return completion.request_notification(); }));
}

// --- The log -----------------------------------------------------------------------------

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char* format, ...) {
  if (current_run() == nullptr) return;
  const doca::DeviceLog& log = current_run()->dpa->log();
  if (!log.takes(std::bit_cast<std::uint32_t>(log_level))) return;
  std::array<char, 1024> line{};  // Longer ones are cut; picked, as a device would have to.
  std::va_list list;
  va_start(list, format);
  const int length = std::vsnprintf(line.data(), line.size(), format, list);
  va_end(list);
  if (length > 0) log.write(line.data());
}

void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5) {
  if (current_run() == nullptr) return;
  current_run()->dpa->log().write(
      fmt::format("trace {:#x} {:#x} {:#x} {:#x} {:#x}\n", arg1, arg2, arg3, arg4, arg5));
}

void doca_dpa_dev_trace_flush() {
  if (current_run() != nullptr) current_run()->dpa->log().flush();
}
