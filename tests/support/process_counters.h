// Process counters: what a process holds of the kernel's, read from /proc.
//
// A test of "nothing is left behind" takes these before and after. Each is a plain
// question about a process, by default this one.
//
// Threads: any; the answer is a moment's.
// Errors: a process that is gone has nothing: empty lists and zeros.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace comch::test {

// Every open descriptor and what it points at ("socket:[123]", "/memfd:ring (deleted)").
// Descriptor numbers are a process's smallest free ones, so a leak shows as a new key.
std::map<int, std::string> open_descriptors(pid_t pid = ::getpid());

// How many mappings name `text` (a memfd's name, a file), or how many there are at all.
std::size_t mappings(const std::string& text = {}, pid_t pid = ::getpid());

// Children that are not reaped yet, zombies included.
std::vector<pid_t> children(pid_t pid = ::getpid());

// Its own; the kernel's workers for its io_urings are not counted.
std::size_t threads(pid_t pid = ::getpid());

// Memory in use, in bytes (VmRSS).
std::size_t resident_bytes(pid_t pid = ::getpid());

// Mount points at or below `directory`, innermost last, as the kernel lists them.
std::vector<std::string> mounts_under(const std::filesystem::path& directory);

}  // namespace comch::test
