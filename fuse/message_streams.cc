// The streams of consumers and producers; see message_streams.h.
#include "message_streams.h"

#include <utility>

#include "message_file.h"
#include "put_file.h"
#include "send_file.h"
#include "stream_node.h"

namespace comch::fuse {
namespace {

using Opened = std::expected<std::unique_ptr<OpenFile>, int>;
using Make = std::function<std::unique_ptr<OpenFile>()>;

void put_stream(Directory& directory, const char* name, Direction direction,
                const std::function<int()>& before_open, Make make) {
  StreamNode::Opener opener = [before_open, make = std::move(make)](const Caller&) -> Opened {
    if (const int error = before_open(); error != 0) return std::unexpected(error);
    return make();
  };
  add_stream(directory, name,
             std::make_shared<StreamNode>(directory.shared_record(), direction, std::move(opener)));
}

}  // namespace

void add_receiving_streams(Directory& directory, const std::shared_ptr<ConsumerQueue>& queue,
                           const std::function<int()>& before_open) {
  constexpr Direction kOut{.readable = true};
  put_stream(directory, "recv", kOut, before_open,
             [queue] { return std::make_unique<RecvFile>(queue); });
  put_stream(directory, "get", kOut, before_open,
             [queue] { return std::make_unique<GetFile>(queue); });
  put_stream(directory, "recv.framed", kOut, before_open, [queue] {
    return std::make_unique<FramedFile>(queue, &arrival_header, FramedFile::Packing::kAsManyAsFit);
  });
}

void add_sending_streams(Directory& directory, const std::shared_ptr<Outbox>& outbox,
                         UserQuota& quota, const std::function<int()>& before_open) {
  constexpr Direction kIn{.writable = true};
  put_stream(directory, "send", kIn, before_open,
             [outbox] { return std::make_unique<SendFile>(outbox); });
  put_stream(directory, "put", kIn, before_open,
             [outbox, &quota] { return std::make_unique<PutFile>(outbox, quota); });
  put_stream(directory, "send.framed", kIn, before_open,
             [outbox, &quota] { return std::make_unique<FramedSendFile>(outbox, quota); });
}

}  // namespace comch::fuse
