// Endpoint: what servers and clients of the C API have in common, said once. Each function of
// doca_comch.h that exists for both is one line that calls the function here.
//
// `Kind` is the engine's object, comch::Server or comch::Client; `Face` is doca_comch_server or
// doca_comch_client. The default argument `where` is taken where the C function makes its call,
// so that the log names that.
//
// Threads, lifetime: as doca_ctx.
#pragma once

#include <doca_comch.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>

#include "comch/server.h"
#include "comch/task.h"
#include "doca/comch_connection.h"
#include "doca/ctx.h"
#include "doca/dev.h"
#include "doca/refuse.h"
#include "doca/task.h"

// Events have no content; the callbacks get a pointer that is not null.
struct doca_comch_event_msg_recv {};
struct doca_comch_event_connection_status_changed {};
struct doca_comch_event_consumer {};

namespace comch::doca {

template <class Kind>
struct Endpoint : doca_ctx {
  explicit Endpoint(doca_dev* dev) : device(dev) {}

  std::unique_ptr<Kind> engine;
  Hold<doca_dev> device;
  doca_comch_event_msg_recv message_event;
  doca_comch_event_consumer consumer_event;
};

inline doca_comch_task_send* send_task_of(SendTask* task) {
  return reinterpret_cast<doca_comch_task_send*>(task);
}

// Hands a new face its engine's object, and the program the face.
template <class Face, class Made>
doca_error_t hand_out(std::unique_ptr<Face> face, Made made, Face** out,
                      std::source_location where) {
  if (!made) return answer(made.error(), where);
  face->engine = std::move(*made);
  if (const doca_error_t e = face->adopt(*face->engine, where); e != DOCA_SUCCESS) return e;
  *out = face.release();
  return DOCA_SUCCESS;
}

template <class Face>
doca_error_t destroy(Face* face, std::source_location where = std::source_location::current()) {
  if (face == nullptr) return null_argument(where);
  if (face->state() != DOCA_CTX_STATE_IDLE) {
    return refuse(Errc::in_use, "the context is not idle; stop it first", where);
  }
  dispose(face);
  return DOCA_SUCCESS;
}

// --- Settings ----------------------------------------------------------------------------

template <class Face>
doca_error_t set_max_msg_size(Face* face, std::uint32_t size,
                              std::source_location where = std::source_location::current()) {
  if (face == nullptr) return null_argument(where);
  return answer(face->engine->set_max_message_size(size), where);
}

template <class Face>
doca_error_t set_recv_queue_size(Face* face, std::uint32_t size,
                                 std::source_location where = std::source_location::current()) {
  if (face == nullptr) return null_argument(where);
  return answer(face->engine->set_recv_queue_size(size), where);
}

template <class Face>
doca_error_t get_max_msg_size(const Face* face, std::uint32_t* size,
                              std::source_location where = std::source_location::current()) {
  if (face == nullptr || size == nullptr) return null_argument(where);
  *size = face->engine->max_message_size();
  return DOCA_SUCCESS;
}

template <class Face>
doca_error_t get_recv_queue_size(const Face* face, std::uint32_t* size,
                                 std::source_location where = std::source_location::current()) {
  if (face == nullptr || size == nullptr) return null_argument(where);
  *size = face->engine->recv_queue_size();
  return DOCA_SUCCESS;
}

template <class Face>
doca_error_t get_device(const Face* face, doca_dev** dev,
                        std::source_location where = std::source_location::current()) {
  if (face == nullptr || dev == nullptr) return null_argument(where);
  *dev = face->device.get();
  return DOCA_SUCCESS;
}

// --- Tasks -------------------------------------------------------------------------------

template <class Face>
doca_error_t configure_send(Face* face, doca_comch_task_send_completion_cb_t sent,
                            doca_comch_task_send_completion_cb_t failed, std::uint32_t tasks,
                            std::source_location where = std::source_location::current()) {
  if (face == nullptr || sent == nullptr || failed == nullptr) return null_argument(where);
  return guarded([&] {
    return answer(face->engine->configure_send(tasks, through(face, sent), through(face, failed)),
                  where);
  });
}

template <class Face>
doca_error_t allocate_send(Face* face, doca_comch_connection* peer, const void* message,
                           std::uint32_t length, doca_comch_task_send** task,
                           std::source_location where = std::source_location::current()) {
  if (face == nullptr || peer == nullptr || message == nullptr || task == nullptr) [[unlikely]]
    return null_argument(where);
  if (peer->connection == nullptr) [[unlikely]]
    return refuse(Errc::not_connected, "the connection has ended", where);
  const Result<SendTask*> made = face->engine->allocate_send(
      *peer->connection, {static_cast<const std::byte*>(message), length});
  if (made) [[likely]] {
    *task = send_task_of(*made);
    return DOCA_SUCCESS;
  }
  // Too long a message is a wrong argument in the documents' words.
  if (made.error().code == Errc::too_big) {
    return refuse(Errc::invalid_value, made.error().what, where);
  }
  return answer(made.error(), where);
}

// --- Events ------------------------------------------------------------------------------

template <class Face>
doca_error_t on_message(Face* face, doca_comch_event_msg_recv_cb_t callback,
                        std::source_location where = std::source_location::current()) {
  if (face == nullptr || callback == nullptr) return null_argument(where);
  return guarded([&] {
    return answer(face->engine->on_message(
                      [face, callback](Connection& from, std::span<const std::byte> message) {
                        // The callback may change the bytes: they are a copy made for it alone.
                        auto* const bytes = const_cast<std::byte*>(message.data());
                        callback(&face->message_event, reinterpret_cast<std::uint8_t*>(bytes),
                                 static_cast<std::uint32_t>(message.size()), handle_of(from));
                        return Receipt::kTaken;
                      }),
                  where);
  });
}

template <class Face>
doca_error_t on_consumer(Face* face, doca_comch_event_consumer_cb_t appeared,
                         doca_comch_event_consumer_cb_t expired,
                         std::source_location where = std::source_location::current()) {
  if (face == nullptr || appeared == nullptr || expired == nullptr) return null_argument(where);
  return guarded([&] {
    const auto through = [face](doca_comch_event_consumer_cb_t callback) {
      return [face, callback](Connection& of, ConsumerId id) {
        callback(&face->consumer_event, handle_of(of), static_cast<std::uint32_t>(id));
      };
    };
    return answer(face->engine->on_consumer(through(appeared), through(expired)), where);
  });
}

}  // namespace comch::doca
