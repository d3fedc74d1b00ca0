// MessageFile: an open file that messages are read from, and its three kinds.
//
//   RecvFile    recv          a read returns bytes of exactly one message
//   GetFile     get           one open is one message, then the end
//   FramedFile  recv.framed   "LEN\n" + bytes, as many whole messages as fit
//               the server's recv: "conn3 LEN\n" + bytes, one per read
//
// What a read had no room for stays with the open file and comes first next time;
// closing drops it and counts it.
//
// Threads: the loop's. Errors: EAGAIN, EINTR, ENODEV (the object was removed), and
// ECONNRESET once when the peer was lost; then the end of the file for ever.
#pragma once

#include <memory>
#include <vector>

#include "inbox.h"
#include "open_file.h"

namespace comch::fuse {

class MessageFile : public OpenFile {
 public:
  explicit MessageFile(std::shared_ptr<MessageSource> source);
  ~MessageFile() override;

  void read(Request request, const Read& read) final;
  unsigned readiness() final;
  void closing() override;

 protected:
  friend class HeldRead;

  // Answers `request` with `message`, or with as much of it as `size` bytes hold.
  virtual Offer offer(Request& request, std::size_t size, const Message& message) = 0;
  // The same for a message just taken: more may be taken to go with it, and what was
  // taken in vain is given back.
  virtual Offer offer_taken(Request& request, std::size_t size, const Message& message);
  // This open file has had all it may have.
  virtual bool is_finished() const { return false; }

  // Answers with `bytes` as far as they fit and keeps the rest.
  Offer answer(Request& request, std::size_t size, std::span<const std::byte> bytes, Inbox& from);

  MessageSource& source() { return *source_; }

 private:
  void give_rest(Request request, std::size_t size);
  void tell_end(Request& request);

  const std::shared_ptr<MessageSource> source_;
  const bool opened_before_end_;
  bool loss_told_ = false;
  std::vector<std::byte> rest_;
  std::size_t rest_begin_ = 0;
  std::shared_ptr<Inbox> rest_from_;
};

class RecvFile final : public MessageFile {
 public:
  using MessageFile::MessageFile;

 private:
  Offer offer(Request& request, std::size_t size, const Message& message) override;
};

class GetFile final : public MessageFile {
 public:
  using MessageFile::MessageFile;

 private:
  Offer offer(Request& request, std::size_t size, const Message& message) override;
  bool is_finished() const override { return claimed_; }

  bool claimed_ = false;
};

class FramedFile final : public MessageFile {
 public:
  // With `named`, frames carry the connection's name and come one per read.
  FramedFile(std::shared_ptr<MessageSource> source, bool named)
      : MessageFile(std::move(source)), named_(named) {}

 private:
  Offer offer(Request& request, std::size_t size, const Message& message) override;
  Offer offer_taken(Request& request, std::size_t size, const Message& message) override;
  void append(const Message& message);
  void give_all_back(Inbox& to);

  struct Piece {  // Where a message lies in frames_, without its header.
    std::size_t begin;
    std::size_t size;
  };
  const bool named_;
  std::vector<std::byte> frames_;  // Kept between reads for their memory only.
  std::vector<Piece> pieces_;
};

}  // namespace comch::fuse
