// Key: see key.h.
#include "transport/rdma/key.h"

#include <sodium.h>

#include <string_view>

namespace comch::transport::rdma {
namespace {

static_assert(wire::kProofSize == crypto_generichash_BYTES);

const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

Result<std::shared_ptr<const Key>> Key::from_secret(std::span<const std::byte> secret) {
  if (secret.size() < kMinSecret) {
    return fail(Errc::invalid_value, "a key of fewer than 16 bytes can be guessed");
  }
  if (::sodium_init() < 0) return fail(Errc::initialization, "libsodium does not start");
  auto key = std::make_shared<Key>();
  ::crypto_generichash(key->bytes_.data(), key->bytes_.size(), raw(secret), secret.size(), nullptr,
                       0);
  return key;
}

Key::~Key() { ::sodium_memzero(bytes_.data(), bytes_.size()); }

wire::ProofBytes Key::prove(KeyRole role, std::span<const std::byte> transcript) const {
  const std::string_view label =
      role == KeyRole::kServer ? "comch rdma 1 server" : "comch rdma 1 client";
  crypto_generichash_state state;
  wire::ProofBytes proof{};
  ::crypto_generichash_init(&state, bytes_.data(), bytes_.size(), proof.size());
  ::crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(label.data()),
                              label.size());
  ::crypto_generichash_update(&state, raw(transcript), transcript.size());
  ::crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(proof.data()), proof.size());
  return proof;
}

bool Key::holds(KeyRole role, std::span<const std::byte> transcript,
                const wire::ProofBytes& proof) const {
  const wire::ProofBytes right = prove(role, transcript);
  return ::sodium_memcmp(right.data(), proof.data(), proof.size()) == 0;
}

}  // namespace comch::transport::rdma
