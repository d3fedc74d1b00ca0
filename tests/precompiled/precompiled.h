// What the tests include of others' headers and of the standard library's, compiled once
// (meson.build). No header of ours: each test still says what it uses, and gcc, which takes no
// part in this at night, is how that is seen.
#ifndef COMCH_TESTS_PRECOMPILED_H
#define COMCH_TESTS_PRECOMPILED_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#endif  // COMCH_TESTS_PRECOMPILED_H
