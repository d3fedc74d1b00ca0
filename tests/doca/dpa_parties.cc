// DPA parties: see dpa_parties.h.
#include "doca/dpa_parties.h"

#include <utility>

#include "doca/must.h"

namespace comch::test {

namespace {

std::uint64_t call_body(std::uint64_t argument) {
  return (*reinterpret_cast<const std::function<std::uint64_t()>*>(argument))();
}

}  // namespace

DpaTest::DpaTest() {
  must(doca_dpa_create(device, &dpa), "doca_dpa_create");
  must(doca_dpa_start(dpa), "doca_dpa_start");
}

DpaTest::~DpaTest() { EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS); }

std::uint64_t DpaTest::call(const std::function<std::uint64_t()>& body) {
  std::uint64_t answer = 0;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(call_body), &answer,
                         reinterpret_cast<std::uint64_t>(&body)),
            DOCA_SUCCESS);
  return answer;
}

DeviceThread::DeviceThread(doca_dpa* dpa, std::function<void()> body) : body_(std::move(body)) {
  must(doca_dpa_thread_create(dpa, &thread_), "doca_dpa_thread_create");
  must(doca_dpa_thread_set_func_arg(thread_, device_function(run),
                                    reinterpret_cast<std::uint64_t>(this)),
       "doca_dpa_thread_set_func_arg");
  must(doca_dpa_thread_start(thread_), "doca_dpa_thread_start");
}

DeviceThread::~DeviceThread() { EXPECT_EQ(doca_dpa_thread_destroy(thread_), DOCA_SUCCESS); }

void DeviceThread::run(std::uint64_t argument) {
  auto& self = *reinterpret_cast<DeviceThread*>(argument);
  ++self.runs_;
  self.body_();
}

}  // namespace comch::test
