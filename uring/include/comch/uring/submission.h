// Submission: one operation that a Ring is asked to do, as an io_uring_sqe is one that the kernel
// is asked to do.
//
//   Submission* s = ring->get();                 // Null: submit() first, or advance().
//   s->prep_send(*to, bytes);
//   s->user_data = 7;                            // Comes back in the completion.
//   s->flags = kLink;                            // The next one begins when this has succeeded.
//   ring->submit();
//
// Every operation ends in exactly one Completion (a multishot one in one that lacks kMore, after
// any number that have it; one with kSkipSuccess in none when it succeeds). Its result is in
// Completion::res: bytes, or 0, or a negative errno. What each call says of results comes on top of
//   -ECANCELED    a prep_cancel() found it in time, the link ahead of it failed, or its end was
//                 unregistered before it began
//   -ECONNRESET   the peer is gone, or the consumer that is named
//   -ESHUTDOWN    this side's producer or consumer is stopping, or, of a long message that was
//                 under way, was aborted; -EBUSY: it does not run
//   -ETIMEDOUT    a long message was under way when its producer was stopped, and the consumer
//                 made no room for two seconds
//
// Threads: the ring's. Order: operations begin in the order of get(), but for kLink and kDrain;
// each call says in what order they complete. Lifetime: from get() to submit() it is the
// caller's to fill in; after submit() the pointer is dead, and the memory that was named belongs
// to the operation until its completion is seen.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/buffer.h"
#include "comch/producer.h"
#include "comch/uring/operation.h"

namespace comch::uring {

class Control;      // A registered connection, and
class Destination;  // a consumer of the other side, reached through a producer of this side, and
class Source;       // a consumer of this side: Ring::register_...() makes them. And
class Listener;     // a server or client, of which it is told who comes.

// The next operation begins when this one has succeeded; when it fails, the rest of the chain
// completes with -ECANCELED. A chain ends at the first operation without this flag, and at
// submit(). A file that ends early is a success, and not, as there, a failure. (IOSQE_IO_LINK)
inline constexpr std::uint8_t kLink = 1;
// As kLink, and the next operation begins also when this one fails. (IOSQE_IO_HARDLINK)
inline constexpr std::uint8_t kHardLink = 2;
// Begins when everything submitted earlier has completed; what is submitted later waits for it.
// In a chain it goes for the chain. Multishot receives, which have no end of their own, are not
// waited for; posted buffers are. (IOSQE_IO_DRAIN)
inline constexpr std::uint8_t kDrain = 4;
// No completion when it succeeds: its slot is free again at once. What was handed over to such a
// receive is given back. (IOSQE_CQE_SKIP_SUCCESS)
inline constexpr std::uint8_t kSkipSuccess = 8;
// The descriptor that is named is a number that Ring::register_file() answered.
// (IOSQE_FIXED_FILE)
inline constexpr std::uint8_t kFixedFile = 16;

// An offset: where the file is, which moves on; the one for pipes.
inline constexpr std::uint64_t kPosition = ~std::uint64_t{0};

class Submission : private Operation {
 public:
  Submission() = default;
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  using Operation::flags;      // Of the above. get() sets 0.
  using Operation::user_data;  // Any value; none is reserved. get() sets 0.

  // Does nothing, successfully. What get() answers is one already.
  void prep_nop() { prepare(Op::kNop, nullptr); }

  // Sends `data`, any memory of the caller's, into the next buffer that `to` has posted.
  // Sends to one destination arrive and complete in the order they were submitted, and those
  // that are neighbours in one submit() are published together. A send for which nothing is
  // posted is not refused: it waits, ahead of later ones, until there is room.
  // res: the bytes. -EINVAL: longer than the room of the posted buffer, which stays posted, or
  // than a view, or more immediate data than the consumer takes.
  void prep_send(Destination& to, std::span<const std::byte> data) {
    prepare(Op::kSend, &to);
    what.bytes = data.data();
    amount = data.size();
  }
  // With immediate data, or, when `data` is empty, of immediate data alone.
  void prep_send_imm(Destination& to, std::span<const std::byte> data,
                     std::span<const std::byte> immediate) {
    prep_send(to, data);
    set_immediate(immediate);
  }

  // Posts the room behind the buffer's data for one message; null: for immediate data alone.
  // Buffers are filled in the order they were posted; messages of one producer complete in the
  // order they were sent.
  // res: the bytes that were put behind the data; the completion names buffer and producer.
  // -ENOBUFS: Consumer::tasks() are posted already, or kept by a multishot receive for its pool.
  // -EINVAL: not a lent buffer of its map.
  // -EOPNOTSUPP: the consumer has the way DataWay::kView.
  // -EALREADY to who wants to cancel it: a posted buffer comes back when its consumer ends.
  void prep_post_recv(Source& from, Buffer* buffer) {
    prepare(Op::kPostRecv, &from);
    what.buffer = buffer;
  }
  // Posts a pool of buffers, each of which is posted again, empty, when the completion of its
  // message is advanced over: the bytes are the caller's between the two, and no longer. Messages
  // that were handed over are given back then, too. The pool may be forgotten after submit().
  // Each buffer holds a slot of the completion queue, and one of Consumer::tasks() until it is
  // posted no more: single posts find what is left. One multishot at a time per source.
  // res: as above, with kMore; the last completion, without kMore, says why it ended, and the
  // pool's buffers are the caller's again, but for those of completions not advanced over.
  // -EBUSY: there is one already. -ENOBUFS: the pool is larger than what the consumer may still
  // post, or the ring's completion queue hold. -EINVAL: it is empty, some of it is null and some
  // is not, a buffer is not of the map, is in it twice or is posted already, or it is linked to
  // what follows; nothing is posted then.
  void prep_post_recv_multishot(Source& from, std::span<Buffer* const> pool) {
    prepare(Op::kPool, &from);
    what.pool = pool.data();
    amount = pool.size();
  }

  // Shows small messages where they lie: nothing is posted and nothing is copied. Of a consumer
  // of the way DataWay::kView. Each is a completion with kMore and kView, viewed() of which is
  // valid until it is advanced over; then its room is the producer's again. `most` may be shown
  // at a time, and each holds a place of the completion queue. One multishot at a time per source.
  // res: the bytes, with kMore; the last completion, without it, says why it ended: views that
  // are not advanced over stay valid.
  // -EOPNOTSUPP: the consumer has another way. -EBUSY: there is one, or views of the last one are
  // not advanced over. -ENOBUFS: the completion queue has not so many places. -EINVAL: `most` is
  // 0, or it is linked to what follows.
  void prep_view_multishot(Source& from, std::uint32_t most) {
    prepare(Op::kShow, &from);
    amount = most;
  }

  // Takes the next posted buffer of `to` out, to be written in place: Completion::loan(). It
  // waits for one, in one line with the sends.
  // res: the room. -EOPNOTSUPP: the consumer's memory is not mapped here. -EAGAIN: 32 are lent.
  void prep_reserve(Destination& to) { prepare(Op::kReserve, &to); }
  // Sends the first `length` bytes of the loan. It needs no posted buffer any more, and so it
  // goes ahead of sends that wait for one.
  // res: `length`. -EINVAL: above the room; no loan, or ended already.
  void prep_commit(Destination& to, const Loan& loan, std::size_t length,
                   std::span<const std::byte> immediate = {}) {
    prepare(Op::kCommit, &to);
    handle = loan.handle;
    amount = length;
    set_immediate(immediate);
  }
  // The loan's buffer is free for the next send. res: 0. -EINVAL: no loan, or ended already.
  void prep_abandon(Destination& to, const Loan& loan) {
    prepare(Op::kAbandon, &to);
    handle = loan.handle;
  }

  // Passes the buffer's data by its place alone, in one line with the sends. It completes when
  // the consumer has given the buffer back, in whatever order it does; until then the data must
  // not change. The producer is one that Ring::prepare() was called for.
  // res: the bytes. -EOPNOTSUPP: its map cannot be shown to the other side. -EAGAIN: 1,024 are
  // handed over. -ECONNRESET: the buffer came back because the peer or its consumer is gone.
  // -ESHUTDOWN: its producer was aborted, and the consumer may still be reading the data.
  void prep_hand_over(Destination& to, Buffer& buffer, std::span<const std::byte> immediate = {}) {
    prepare(Op::kHandOver, &to);
    what.buffer = &buffer;
    amount = buffer.data_length();
    set_immediate(immediate);
  }

  // --- Files and sockets -------------------------------------------------------------------
  // The kernel reads and writes the messages' own memory; there is nothing in between. The
  // descriptor is to stay open until the completion is seen. What comes short is continued. At
  // most Ring::Options::transfers are under way; what is more waits in its line. Results, on top
  // of those above and those of prep_send() or prep_post_recv(): the errno of the read, write,
  // receive or send. -EBADF: no descriptor; with kFixedFile, no registered one. -ENOMEM: no
  // memory to stage it in. -EOPNOTSUPP: the ring was made without transfers.
  //
  // What has no offset goes one after the other where it names one descriptor, or a number that
  // this one was registered as. Descriptors that were duplicated are not known to be one file, and
  // what goes through both has no order.
  //
  // What is written to a pipe that nobody reads raises SIGPIPE, as write(2) does: who writes to
  // pipes ignores it, and has -EPIPE. So may a socket that is named as a file; others raise none.
  //
  // A prep_cancel() of one that runs is answered 0; it may still complete as if there had been
  // none, and does so if it has taken something from a pipe or socket.

  // Sends `length` bytes of `file`, from `offset` on, as one message: reads them into the next
  // buffer that `to` has posted, which is reserved for that long, and commits it. It waits for one
  // in one line with the sends. Messages arrive in the order in which their reads end; link
  // them where it matters. A read that fails gives the posted buffer back, and nothing is sent;
  // but what has come from where there is no offset is sent, and the next read tells.
  // Memory of `to` that is not mapped here is sent to from a copy, and so is what O_DIRECT does
  // not take by its address or length.
  // Of a file that is registered to be shown (FileUse::kShown), 256 KiB and more at an `offset` are
  // read by both sides where they can, for which other sends to `to` wait, and a prep_cancel() is
  // answered -EALREADY. What they cannot have without waiting for a disk is read as any other.
  // res: the bytes, less than `length` where the file ends there. 0: it has ended already, and
  // nothing is sent. -EINVAL: `length` is 0 or above the room; O_DIRECT and such an `offset`.
  void prep_send_file(Destination& to, int file, std::uint64_t length,
                      std::uint64_t offset = kPosition, std::span<const std::byte> immediate = {}) {
    prepare_transfer(Op::kSendFile, &to, file);
    what.number = offset;
    amount = length;
    set_immediate(immediate);
  }
  // The same of what a socket receives: up to `length` bytes, as one receive brings them;
  // `how` is of the flags of recv(2), with MSG_WAITALL all of them.
  // res: the bytes. 0: the other end has closed, and nothing is sent.
  void prep_send_socket(Destination& to, int socket, std::uint64_t length, int how = 0,
                        std::span<const std::byte> immediate = {}) {
    prepare_transfer(Op::kSendSocket, &to, socket);
    what.number = static_cast<std::uint32_t>(how);
    amount = length;
    set_immediate(immediate);
  }
  // Posts the room behind the buffer's data for one message, and writes it to `file` at `offset`
  // when it has come; past the end leaves a hole. Those without offset to one file are written in
  // the order the messages came.
  // res: the bytes, all of the message. The completion is that of prep_post_recv(): also when
  // the write has failed, the message is in contents(). -ENOBUFS: Options::transfers are posted.
  void prep_recv_file(Source& from, Buffer* buffer, int file, std::uint64_t offset = kPosition) {
    prepare_transfer(Op::kRecvFile, &from, file);
    what.buffer = buffer;
    amount = offset;
  }
  // The same to a socket, all of it.
  void prep_recv_socket(Source& from, Buffer* buffer, int socket) {
    prepare_transfer(Op::kRecvSocket, &from, socket);
    what.buffer = buffer;
  }
  // Writes bytes of the caller's, such as a message that was received already: of a multishot
  // receive, whose buffer stays the caller's until its completion is advanced over.
  // res: the bytes, all of them.
  void prep_write_file(int file, std::span<const std::byte> bytes,
                       std::uint64_t offset = kPosition) {
    prepare_transfer(Op::kWriteFile, nullptr, file);
    what.bytes = bytes.data();
    amount = bytes.size();
    at = offset;
  }
  void prep_write_socket(int socket, std::span<const std::byte> bytes) {
    prepare_transfer(Op::kWriteSocket, nullptr, socket);
    what.bytes = bytes.data();
    amount = bytes.size();
  }

  // --- Control messages, time --------------------------------------------------------------

  // Sends a control message. When the peer's queue is full it waits, in order.
  // res: the bytes. -EMSGSIZE: above Connection::max_message_size().
  void prep_ctrl_send(Control& to, std::span<const std::byte> message) {
    prepare(Op::kCtrlSend, &to);
    what.bytes = message.data();
    amount = message.size();
  }
  // Receives one control message, in order; see Ring::on_message().
  // res: the bytes. -EMSGSIZE: the message is longer than `into`; it stays the next one.
  // -ENOTCONN, -ECONNRESET: the connection has ended, in order or not.
  void prep_ctrl_recv(Control& from, std::span<std::byte> into) {
    prepare(Op::kCtrlRecv, &from);
    what.room = into.data();
    amount = into.size();
  }

  // Tells of connections that come and go, and of consumers that can be sent to: each is a
  // completion with kMore and kArrival. Arrivals are shown one at a time: the next one when the
  // last one is advanced over; meanwhile they wait, and no connection waits for them.
  //   Connection   res 0; `connection`, and `control` to send and receive its control messages,
  //                which is registered already
  //   Consumer     res 0; consumer(), and its connection, for Ring::register_destination()
  //   End          res as of the operations on `control` that were waiting: -ENOTCONN when it came
  //                in an orderly way, else -ECONNRESET. `control` is valid until this completion
  //                is advanced over; the connection is no more. What a link or drain still
  //                holds back completes with -ECANCELED.
  // An arrival that is gone when it is looked at has -ECONNABORTED and no connection; its end
  // follows, at a server. What has gone before it is shown is not. Consumers that go later are not
  // told of: sends to them end. `control` is null where the connection has none registered.
  // One of these at a time per listener; it ends when it is cancelled.
  // -EBUSY: there is one, or a completion of the last one is not advanced over. -ENOBUFS: every
  // place of the completion queue is held. -EINVAL: it is linked to what follows.
  void prep_accept_multishot(Listener& from) { prepare(Op::kAccept, &from); }

  // res: -ETIME when so much time has passed since it began. Timeouts complete in the order in
  // which they are due. As in io_uring that counts as a failure: what is to follow it takes a
  // kHardLink.
  void prep_timeout(std::chrono::nanoseconds after) {
    prepare(Op::kTimeout, nullptr);
    amount = after.count() < 0 ? 0 : static_cast<std::uint64_t>(after.count());
  }
  // Cancels one operation that was submitted earlier and has this user_data: the first found.
  // res: 0: it is found and its completion will say -ECANCELED (a multishot receive posts none
  // of its buffers again, and ends when each has got its message or its consumer ends).
  // -ENOENT: there is none, or it is complete. -EALREADY: it runs and cannot be stopped: a posted
  // buffer, a hand-over, a long message under way, or one that is read and waits to be sent.
  void prep_cancel(std::uint64_t target) {
    prepare(Op::kCancel, nullptr);
    amount = target;
  }

 private:
  friend class Queues;

  void prepare(Op what_to_do, void* through) {
    op = what_to_do;
    state = State::kFree;
    immediate_size = 0;
    end = through;
  }
  void prepare_transfer(Op what_to_do, void* through, int descriptor) {
    prepare(what_to_do, through);
    handle = static_cast<std::uint32_t>(descriptor);
  }
  void set_immediate(std::span<const std::byte> bytes) {
    immediate_data = bytes.data();
    immediate_size = static_cast<std::uint16_t>(std::min<std::size_t>(bytes.size(), kTooMuch));
  }
};
static_assert(sizeof(Submission) == 64, "one cache line each");

}  // namespace comch::uring
