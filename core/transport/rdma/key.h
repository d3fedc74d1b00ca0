// Key: a secret that both ends were given beforehand, by which they know each other.
//
//   auto key = Key::from_secret(bytes).value();
//   proof = key->prove(KeyRole::kServer, transcript);       // ... travels ...
//   if (!their_key->holds(KeyRole::kServer, transcript, proof)) refuse();
//
// A proof is a keyed hash (BLAKE2b, libsodium's) of the prover's role and of everything that was
// said so far, a fresh nonce of either end in it: so no proof is good twice, nor for the other
// role. It authenticates the handshake, and nothing that comes after it.
//
// Threads: any. Lifetime: shared; the key's bytes are wiped with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/result.h"
#include "wire/remote_handshake.h"

namespace comch::transport::rdma {

enum class KeyRole : std::uint8_t { kServer, kClient };

class Key {
 public:
  static constexpr std::size_t kMinSecret = 16;

  // invalid_value: shorter than kMinSecret. not_supported: comch was built without libsodium.
  static Result<std::shared_ptr<const Key>> from_secret(std::span<const std::byte> secret);

  Key() = default;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key();

  wire::ProofBytes prove(KeyRole role, std::span<const std::byte> transcript) const;
  // Takes as long for a wrong proof as for a right one.
  bool holds(KeyRole role, std::span<const std::byte> transcript,
             const wire::ProofBytes& proof) const;

 private:
  std::array<unsigned char, 32> bytes_{};
};

}  // namespace comch::transport::rdma
