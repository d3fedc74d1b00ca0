// Key: see key.h. Built in key.cc's place where libsodium is missing: no key can be made, and so no
// other function of it is ever called.
#include "transport/rdma/key.h"

namespace comch::transport::rdma {

Result<std::shared_ptr<const Key>> Key::from_secret(std::span<const std::byte> /*secret*/) {
  return fail(Errc::not_supported, "this comch was built without libsodium, and takes no key");
}

Key::~Key() = default;

wire::ProofBytes Key::prove(KeyRole /*role*/, std::span<const std::byte> /*transcript*/) const {
  return {};
}

bool Key::holds(KeyRole /*role*/, std::span<const std::byte> /*transcript*/,
                const wire::ProofBytes& /*proof*/) const {
  return false;
}

}  // namespace comch::transport::rdma
