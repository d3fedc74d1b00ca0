// Devices and representors of the C API, found as comch's own are: see fabric.h.
//
// Threads: free functions. Lifetime: the caller's.
// Errors: complaints that name the option to change.
#pragma once

#include <doca_dev.h>

#include "tool/bench/doca_try.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

struct DocaPlace {
  DocaOwned<doca_dev, doca_dev_close> device;
  DocaOwned<doca_dev_rep, doca_dev_rep_close> representor;  // Of a server's place.
};

Outcome<DocaPlace> open_doca_client_place(const CommonOptions& common);
Outcome<DocaPlace> open_doca_server_place(const CommonOptions& common);

}  // namespace comch::tool
