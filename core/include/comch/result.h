// Result: how every call of comch says that it failed.
//
// A call that can fail returns Result<T>, which is std::expected<T, Error>; a call
// that has nothing else to say returns Status. No call throws, and none aborts on
// what a peer or a user did. What a callback throws leaves the call that it was called from, mostly
// progress(), which works on the next time; what the callback was told may not be told again.
//
//   Result<std::unique_ptr<Server>> server = Server::create(device, representor, "echo");
//   if (!server) return fail_with(describe(server.error()));
//
// Threads: values; use them anywhere.
#pragma once

#if __cplusplus <= 202002L
#error "comch's C++ headers need C++23: -std=c++23, or -std=c++2b with an older compiler"
#endif

#include <cstdint>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace comch {

// The reasons a call may fail. A caller switches on these, so each one is a different
// thing *to do*, not a different place it went wrong. The names and values are those of
// the documented C API (enum doca_error), so that one table serves both.
enum class Errc : std::uint8_t {
  unknown = 1,                  // Nothing better is known; see the log.
  not_permitted = 2,            // This caller may not do this at all.
  in_use = 3,                   // Something still depends on the object; end that first.
  not_supported = 4,            // The device cannot take this role.
  again = 5,                    // Nothing was done; try again after progress().
  invalid_value = 6,            // The caller broke the contract; the object is unchanged.
  no_memory = 7,                // No memory, or no free task.
  initialization = 8,           // The object could not be set up.
  time_out = 9,                 // The other side did not answer in time.
  shutdown = 10,                // The object is being taken down.
  connection_reset = 11,        // The peer is gone, or wrote what no correct peer writes.
  connection_aborted = 12,      // The connection was refused, or ended on this side.
  connection_in_progress = 13,  // The connection is not established yet.
  not_connected = 14,           // There is no progress engine, or no connection.
  no_lock = 15,
  not_found = 16,  // No such device, representor or server.
  io_failed = 17,
  bad_state = 18,            // Legal call, wrong moment: see the context's state.
  unsupported_version = 19,  // The two ends speak no common version.
  operating_system = 20,     // The kernel refused; errno is in Error::sys.
  driver = 21,
  unexpected = 22,
  already_exist = 23,  // The name is taken.
  full = 24,           // The limit on the number of things is reached.
  empty = 25,
  in_progress = 26,  // Begun; progress() will finish it.
  too_big = 27,
  authentication = 28,  // The server's access list does not admit this user.
  bad_config = 29,      // A configuration file says something impossible.
  skipped = 30,
};

// One failure: what to do about it, what the kernel said, and where it started.
struct Error {
  Errc code = Errc::unknown;
  int sys = 0;            // errno, or 0 when the kernel was not what refused.
  const char* what = "";  // One literal sentence for people; never freed, may be empty.
  std::source_location where = std::source_location::current();
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// The failure to return from a function that answers a Result.
[[nodiscard]] inline std::unexpected<Error> fail(
    Errc code, const char* what = "", int sys = 0,
    std::source_location where = std::source_location::current()) {
  return std::unexpected(Error{code, sys, what, where});
}

// The documented word for a code, such as "connection_reset". Lives for ever.
std::string_view name(Errc code);

// One line for people: the word, the sentence, errno in words; at log level kDebug also where in
// comch's source it started.
std::string describe(const Error& error);

// The errno that says the same to a program that knows files (the table is in
// fuse/README.md). Never ENOTCONN or ECONNABORTED: on a file those mean a dead mount.
int to_errno(const Error& error);

}  // namespace comch
#pragma GCC visibility pop
