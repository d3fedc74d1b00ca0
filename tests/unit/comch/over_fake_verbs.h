// Over fake verbs: linked into a program of tests, it makes every device one that meets its peers
// by RDMA, on one machine of a FakeFabric. What a connection promises does not depend on its
// carrier; the same tests say so for this one.
//
// Threads: as the FakeFabric's. Lifetime: from before the first test until behind the last one.
#pragma once

#include "support/fake_verbs.h"

namespace comch::test {

// What the devices are on, for tests of what only a network does.
FakeFabric& fabric();

}  // namespace comch::test
