// comch: everything an application includes.
//
// Message channels between a host and its DPU, for any Linux machine. The nouns are
// those of the DOCA Comch documents: a Device (and, on the DPU side, a Representor) is
// what a Context is opened on; a Server and a Client are contexts; they meet in a
// Connection; a ProgressEngine runs their callbacks; SendTask carries a message.
#pragma once

#include "comch/buffer.h"           // IWYU pragma: export
#include "comch/capability.h"       // IWYU pragma: export
#include "comch/client.h"           // IWYU pragma: export
#include "comch/connection.h"       // IWYU pragma: export
#include "comch/consumer.h"         // IWYU pragma: export
#include "comch/context.h"          // IWYU pragma: export
#include "comch/device.h"           // IWYU pragma: export
#include "comch/dpa.h"              // IWYU pragma: export
#include "comch/dpa_queue.h"        // IWYU pragma: export
#include "comch/fork_mark.h"        // IWYU pragma: export
#include "comch/log.h"              // IWYU pragma: export
#include "comch/memory_map.h"       // IWYU pragma: export
#include "comch/msgq.h"             // IWYU pragma: export
#include "comch/producer.h"         // IWYU pragma: export
#include "comch/progress_engine.h"  // IWYU pragma: export
#include "comch/result.h"           // IWYU pragma: export
#include "comch/server.h"           // IWYU pragma: export
#include "comch/shown_file.h"       // IWYU pragma: export
#include "comch/task.h"             // IWYU pragma: export

#pragma GCC visibility push(default)
namespace comch {

// The version of the library, "1.0.0".
const char* version();

}  // namespace comch
#pragma GCC visibility pop
