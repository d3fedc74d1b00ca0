// UcxWorker: contexts, workers, endpoints and memory of UCX.
#include "bench/peers/ucx_worker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace comch::bench {
namespace {

// What UCX hands out in memory of its own, to be given back another way than it came.
std::span<const std::byte> bytes_at(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

template <std::size_t kRoom>
std::size_t put_into(std::array<std::byte, kRoom>& room, std::span<const std::byte> bytes) {
  if (bytes.size() > kRoom) throw std::runtime_error("a greeting of UCX is too long");
  std::ranges::copy(bytes, room.begin());
  return bytes.size();
}

ucp_context_h context_with(std::uint64_t features) {
  ucp_config_t* config = nullptr;
  need_ucx(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
  const UcxOwner<ucp_config_t*, ucp_config_release> owner(config);
  if (std::getenv("UCX_TLS") == nullptr) {
    need_ucx(ucp_config_modify(config, "TLS", "posix"), "UCX_TLS=posix");
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = features;
  ucp_context_h context = nullptr;
  need_ucx(ucp_init(&params, config, &context), "ucp_init");
  return context;
}

ucp_worker_h worker_of(ucp_context_h context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  need_ucx(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
  return worker;
}

ucp_rkey_h unpacked(const UcxWorker& worker, const UcxGreeting& other) {
  ucp_rkey_h key = nullptr;
  need_ucx(ucp_ep_rkey_unpack(worker.endpoint(), other.key.data(), &key), "ucp_ep_rkey_unpack");
  return key;
}

}  // namespace

void need_ucx(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    throw std::runtime_error(std::string(what) + ": " + ucs_status_string(status));
}

void UcxMeeting::greet(std::size_t end, const UcxGreeting& greeting) const {
  (*greetings_)[end] = greeting;
  said_[end].open();
}

const UcxGreeting& UcxMeeting::other(std::size_t end) const {
  if (!said_[1 - end].wait()) throw std::runtime_error("the other process does not come");
  return (*greetings_)[1 - end];
}

UcxWorker::UcxWorker(std::uint64_t features)
    : context_(context_with(features)), worker_(worker_of(context_.get())) {}

UcxGreeting UcxWorker::greeting() const {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  need_ucx(ucp_worker_get_address(worker_.get(), &address, &bytes), "ucp_worker_get_address");
  UcxGreeting greeting;
  greeting.address_bytes = put_into(greeting.address, bytes_at(address, bytes));
  ucp_worker_release_address(worker_.get(), address);
  return greeting;
}

void UcxWorker::connect(const UcxGreeting& other) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<const ucp_address_t*>(other.address.data());
  need_ucx(ucp_ep_create(worker_.get(), &params, &endpoint_), "ucp_ep_create");
}

void UcxWorker::await(ucs_status_ptr_t request) const {
  if (request == nullptr) return;
  if (UCS_PTR_IS_ERR(request)) need_ucx(UCS_PTR_STATUS(request), "a request");
  ucs_status_t status{};
  while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) progress();
  ucp_request_free(request);
  need_ucx(status, "a request");
}

void UcxWorker::flush() const {
  const ucp_request_param_t param{};
  await(ucp_ep_flush_nbx(endpoint_, &param));
}

UcxMemory::UcxMemory(const UcxWorker& worker, std::size_t bytes) : context_(worker.context()) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  need_ucx(ucp_mem_map(context_, &params, &handle_), "ucp_mem_map");
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  need_ucx(ucp_mem_query(handle_, &attributes), "ucp_mem_query");
  data_ = static_cast<std::byte*>(attributes.address);
  std::memset(data_, 0, bytes);
}

UcxMemory::~UcxMemory() { ucp_mem_unmap(context_, handle_); }

void UcxMemory::add_to(UcxGreeting& greeting) const {
  void* key = nullptr;
  std::size_t bytes = 0;
  need_ucx(ucp_rkey_pack(context_, handle_, &key, &bytes), "ucp_rkey_pack");
  greeting.memory = reinterpret_cast<std::uint64_t>(data_);
  greeting.key_bytes = put_into(greeting.key, bytes_at(key, bytes));
  ucp_rkey_buffer_release(key);
}

UcxRemote::UcxRemote(const UcxWorker& worker, const UcxGreeting& other)
    : address_(other.memory), key_(unpacked(worker, other)) {}

}  // namespace comch::bench
