// doca_dpa_rpc(): a call of a device function from the program; see doca_dpa.h.
#include <array>
#include <cstdarg>

#include "doca/dpa.h"
#include "doca/dpa_run.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::dpa::Run;
using doca::answer;
using doca::null_argument;

namespace {

constexpr std::size_t kArguments = 12;
using Arguments = std::array<std::uint64_t, kArguments>;
using RpcFunction = std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                  std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                  std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);

// How many arguments the caller gave is known to the function alone. Where comch runs (x86-64,
// AArch64) each has a register or eight bytes of the caller's frame, and who reads too many reads
// what lies behind them in that frame. Sanitizers are told to leave that, and only that, alone.
__attribute__((no_sanitize("address"))) Arguments read_arguments(std::va_list list) {
  Arguments all;
  for (std::uint64_t& each : all) each = va_arg(list, std::uint64_t);
  return all;
}

// By the same rules a function takes the arguments it has, and does not see the others.
__attribute__((no_sanitize("undefined"))) std::uint64_t call(doca_dpa_func_t* function,
                                                             const Arguments& a) {
  return reinterpret_cast<RpcFunction*>(function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7],
                                                  a[8], a[9], a[10], a[11]);
}

}  // namespace

doca_error_t doca_dpa_rpc(doca_dpa* dpa, doca_dpa_func_t* func, uint64_t* retval, ...) {
  if (dpa == nullptr || func == nullptr || retval == nullptr) return null_argument();
  std::va_list list;
  va_start(list, retval);
  const Arguments arguments = read_arguments(list);
  va_end(list);
  return doca::guarded([&] {
    const auto answered = dpa->accelerator().call([&](Run& run) {
      std::uint64_t value = 0;  // Of a function that ends its run without returning.
      doca::run_on_device(*dpa, run, [&] { value = call(func, arguments); });
      return value;
    });
    if (!answered) return answer(answered.error());
    *retval = *answered;
    return DOCA_SUCCESS;
  });
}
