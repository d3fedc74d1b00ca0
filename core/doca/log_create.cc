// doca_log_backend_create_*: see doca_log.h. Each kind of backend is there for the program's
// lines and for the library's.
#include <doca_log.h>
#include <fcntl.h>

#include "doca/log_registry.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;

namespace {

constexpr bool kProgram = false;
constexpr bool kSdk = true;

// Makes a backend and hands it to the program; `make` answers null if it cannot.
template <class Make>
doca_error_t create(bool sdk, doca_log_backend** backend, Make&& make, std::source_location where) {
  return doca::guarded([&] {
    auto made = make();
    if (made == nullptr) {
      return doca::refuse(Errc::already_exist, "syslog is open under another name", where);
    }
    *backend = doca::log_registry().add(std::move(made), sdk);
    return DOCA_SUCCESS;
  });
}

doca_error_t to_file(bool sdk, FILE* file, doca_log_backend** backend,
                     std::source_location where = std::source_location::current()) {
  if (file == nullptr || backend == nullptr) return doca::null_argument(where);
  return create(sdk, backend, [&] { return doca::file_backend(file); }, where);
}

doca_error_t to_fd(bool sdk, int fd, doca_log_backend** backend,
                   std::source_location where = std::source_location::current()) {
  if (backend == nullptr) return doca::null_argument(where);
  if (fcntl(fd, F_GETFD) < 0) {
    return doca::refuse(Errc::invalid_value, "this is no open file descriptor", where);
  }
  return create(sdk, backend, [&] { return doca::fd_backend(fd); }, where);
}

doca_error_t to_buffer(bool sdk, char* buf, std::size_t capacity, log_flush_callback handler,
                       doca_log_backend** backend,
                       std::source_location where = std::source_location::current()) {
  if (buf == nullptr || handler == nullptr || backend == nullptr) {
    return doca::null_argument(where);
  }
  if (capacity < 2) return doca::refuse(Errc::invalid_value, "the buffer holds no text", where);
  return create(sdk, backend, [&] { return doca::buffer_backend(buf, capacity, handler); }, where);
}

doca_error_t to_syslog(bool sdk, const char* name, doca_log_backend** backend,
                       std::source_location where = std::source_location::current()) {
  if (name == nullptr || backend == nullptr) return doca::null_argument(where);
  return create(sdk, backend, [&] { return doca::syslog_backend(name); }, where);
}

}  // namespace

doca_error_t doca_log_backend_create_with_file(FILE* fptr, doca_log_backend** backend) {
  return to_file(kProgram, fptr, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE* fptr, doca_log_backend** backend) {
  return to_file(kSdk, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, doca_log_backend** backend) {
  return to_fd(kProgram, fd, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, doca_log_backend** backend) {
  return to_fd(kSdk, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char* buf, std::size_t capacity,
                                              log_flush_callback handler,
                                              doca_log_backend** backend) {
  return to_buffer(kProgram, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char* buf, std::size_t capacity,
                                                  log_flush_callback handler,
                                                  doca_log_backend** backend) {
  return to_buffer(kSdk, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char* name, doca_log_backend** backend) {
  return to_syslog(kProgram, name, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char* name, doca_log_backend** backend) {
  return to_syslog(kSdk, name, backend);
}

doca_error_t doca_log_backend_create_standard(void) {
  return doca::guarded([] {
    doca::log_registry().add_standard();
    return DOCA_SUCCESS;
  });
}
