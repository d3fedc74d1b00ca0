// MessageFile: an open file that messages are read from, and its kinds.
//
//   RecvFile    recv          a read returns bytes of exactly one message
//   GetFile     get           one open is one message, then the end
//   FramedFile  recv.framed   "LEN\n" + bytes, as many whole messages as fit
//               a consumer's  "LEN PRODUCER IMMEDIATE\n" + bytes
//               the server's recv: "conn3 LEN\n" + bytes, one per read
//
// A message that came in parts (long_message.h) is one to recv and get, whose reads return
// bytes of exactly one part.
//
// What a read had no room for stays with the open file and comes first next time;
// closing drops it and counts it.
//
// Threads: the loop's. Errors: EAGAIN, EINTR, ENODEV (the object was removed), ENXIO (it
// does not run), and ECONNRESET once when the peer was lost; then the end of the file for
// ever.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "long_message.h"
#include "message_queue.h"
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
  // This open file has had all it may have, but for the rest of a long message.
  virtual bool is_finished() const { return false; }

  // Answers with `header` and the message as far as they fit and keeps the rest.
  Offer answer(Request& request, std::size_t size, const Message& message,
               std::string_view header = {});

  // The same of a message that may be the first part of a longer one: the others come next.
  Offer answer_with_rest(Request& request, std::size_t size, const Message& message);

  MessageSource& source() { return *source_; }
  bool is_of_long_message(const Message& message) const { return message.from == long_.get(); }
  bool is_end_of_long_message() const { return long_->is_complete(); }
  // An empty message, or part of one, that this kind of file cannot show.
  void pass_over(const Message& empty);

 private:
  // What a read had no room for.
  struct Rest {
    std::string header;
    Message message{};
    std::size_t size = 0;                // Of its last bytes.
    std::shared_ptr<const void> keeper;  // Of a message that is not a consumer's.
    std::shared_ptr<MessageQueue> from;

    bool empty() const { return header.empty() && size == 0; }
  };
  // A later part of a read(2), whose first ones were filled. The offset alone does not say it:
  // splice(2) counts on from call to call.
  bool is_continued(const Read& read);
  void wait(Request request, const Read& read);
  void serve_others(const HeldRead& served);
  // Where the next message of this file comes from.
  MessageSource& current() const;
  void begin_long_message(std::shared_ptr<LongMessage> rest);
  void end_long_message();
  void keep(const Message& message, std::size_t given, std::string_view header);
  void give_rest(Request request, std::size_t size);
  void tell_end(Request& request);

  const std::shared_ptr<MessageSource> source_;
  std::shared_ptr<LongMessage> long_;  // While there is more of the message than was read.
  const bool opened_before_end_;
  bool loss_told_ = false;
  off_t full_until_ = 0;  // Where a read(2) goes on, if the last request was not all of it.
  Rest rest_;
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
  // The line in front of a message.
  using Header = std::string (*)(const Message&);
  enum class Packing : std::uint8_t { kOnePerRead, kAsManyAsFit };

  FramedFile(std::shared_ptr<MessageSource> source, Header header, Packing packing)
      : MessageFile(std::move(source)), header_(header), packing_(packing) {}

 private:
  Offer offer(Request& request, std::size_t size, const Message& message) override;
  Offer offer_taken(Request& request, std::size_t size, const Message& message) override;
  bool append(const Message& message, std::size_t size);
  void give_all_back();

  struct Piece {  // A message, and where it lies in frames_.
    Message message;
    std::size_t begin;
  };
  const Header header_;
  const Packing packing_;
  std::vector<std::byte> frames_;  // Kept between reads for their memory only.
  std::vector<Piece> pieces_;
};

}  // namespace comch::fuse
