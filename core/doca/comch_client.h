// doca_comch_client: what stands behind it.
//
// Threads, lifetime: as doca_ctx.
#pragma once

#include "comch/client.h"
#include "doca/comch_endpoint.h"

struct doca_comch_client final : comch::doca::Endpoint<comch::Client> {
  explicit doca_comch_client(doca_dev* dev) : Endpoint(dev) { handle.client = this; }

  doca_comch_connection handle;  // Of its one connection, in every run.

 private:
  // The handle's connection begins and ends with the run; it is right in the program's callback.
  void moved(doca_ctx_states before, doca_ctx_states after) override;
};
