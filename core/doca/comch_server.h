// doca_comch_server: what stands behind it.
//
// Threads, lifetime: as doca_ctx.
#pragma once

#include "doca/comch_endpoint.h"

struct doca_comch_server final : comch::doca::Endpoint<comch::Server> {
  doca_comch_server(doca_dev* dev, doca_dev_rep* rep) : Endpoint(dev), representor(rep) {}

  comch::doca::Hold<doca_dev_rep> representor;
  comch::doca::ConnectionHandles handles{this};
  doca_comch_event_connection_status_changed status_event;
};
