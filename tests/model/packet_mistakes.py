"""The mistakes that plant.py plants in what reads the packets of a hostile peer."""

HANDSHAKE = 'wire/handshake.cc'
REMOTE = 'wire/remote_handshake.cc'
FAST_PACKET = 'wire/fast_packet.cc'
RDMA_PACKET = 'wire/rdma_packet.cc'
FRAME = 'wire/frame.cc'
BYTES = 'wire/bytes.h'

MISTAKES = {
    'reader_runs_past_the_end': (
        BYTES,
        '  bool take(std::size_t size) { return ok_ = ok_ && size <= in_.size() - at_; }',
        '  bool take(std::size_t size) { return ok_ = ok_ && size <= 512; }'),
    'trailing_bytes_accepted': (
        BYTES,
        'return ok_ && at_ == in_.size();',
        'return ok_;'),
    'reserved_field_unchecked': (
        HANDSHAKE,
        '!in.done() || reserved != 0 ||',
        '!in.done() ||'),
    'flags_unchecked': (
        HANDSHAKE,
        'return (flags & ~mask) == 0;',
        'return true;'),
    'hello_unchecked': (
        HANDSHAKE,
        'kFlagMembarrier | kFlagActing) || !legal(hello)) {',
        'kFlagMembarrier | kFlagActing)) {'),
    'frame_may_be_longer_than_any': (
        FRAME,
        'bytes.size() < kHeaderSize || bytes.size() > kMaxPacket',
        'bytes.size() < kHeaderSize'),
    'frame_size_unchecked': (
        FRAME,
        'if (header.number<std::uint32_t>() != bytes.size()) {',
        'if (header.number<std::uint32_t>() > bytes.size()) {'),
    'fast_trailing_bytes_accepted': (
        FAST_PACKET,
        'if (!in.done() || !also || !legal(body))',
        'if (!also || !legal(body))'),
    'fast_flags_unchecked': (
        FAST_PACKET,
        'return (flags & ~kFlagMembarrier) == 0;',
        'return true;'),
    'fast_way_unchecked': (
        FAST_PACKET,
        '  if (!is_way(way)) return nonsense();\n',
        ''),
    'fast_id_reserved_accepted': (
        FAST_PACKET,
        'return id != 0 && id != kNoConsumer;',
        'return id != 0;'),
    'fast_depth_unchecked': (
        FAST_PACKET,
        'consumer.depth >= 1 && consumer.depth <= kMaxPosted &&',
        'consumer.depth >= 1 &&'),
    'fast_offset_unaligned': (
        FAST_PACKET,
        'offset <= kMaxMap && offset % kPage == 0',
        'offset <= kMaxMap'),
    'fast_bounce_unbounded': (
        FAST_PACKET,
        ' && lane.bounce_size <= kMaxBounce;',
        ';'),
    'fast_map_may_be_empty': (
        FAST_PACKET,
        'return map.size != 0 && is_range(',
        'return is_range('),
    # Of another machine.
    'padding_may_say_something': (
        FRAME,
        'return b != std::byte{}; })) {',
        'return b == std::byte{1}; })) {'),
    'padding_may_be_short': (
        FRAME,
        'if (size > field.size() ||\n',
        'if (size > field.size() + 1 ||\n'),
    'call_versions_unchecked': (
        REMOTE,
        'return call.min_version >= 1 && call.min_version <= call.max_version;',
        'return call.min_version >= 1;'),
    'answer_flags_unchecked': (
        REMOTE,
        '!in.done() || (flags & ~kFlagWantsKey) != 0) {',
        '!in.done()) {'),
    'answer_version_unchecked': (
        REMOTE,
        'if (answer.version != kRemoteVersion) {',
        'if (answer.version == 0) {'),
    'remote_hello_unchecked': (
        REMOTE,
        'within(hello.recv_queue_size, kMaxQueue) &&\n         within(hello.window, kMaxWindow) &&',
        'within(hello.recv_queue_size, kMaxQueue) &&'),
    'remote_hello_flags_unchecked': (
        REMOTE,
        '!in.done() || (flags & ~kFlagActing) != 0 || !silent',
        '!in.done() || !silent'),
    'acting_for_nobody': (
        REMOTE,
        'const bool silent = hello.acting || acting == Identity{};',
        'const bool silent = true;'),
    'remote_name_may_be_empty': (
        REMOTE,
        '         within(static_cast<std::uint32_t>(hello.name.size()), kMaxName) &&\n',
        ''),
    'remote_welcome_unchecked': (
        REMOTE,
        'if (!in.done() || !legal(welcome)) return',
        'if (!in.done()) return'),
    'proof_may_be_longer': (
        REMOTE,
        'if (!in.done()) return nonsense("a Proof no correct peer writes");\n',
        ''),
    'rdma_trailing_bytes_accepted': (
        RDMA_PACKET,
        'if (!in.done() || !legal(body)) return nonsense();',
        'if (!legal(body)) return nonsense();'),
    'rdma_pair_unchecked': (
        RDMA_PACKET,
        'end.number <= kMax24 && end.first_packet <= kMax24;',
        'end.number <= kMax24;'),
    'rdma_target_may_wrap': (
        RDMA_PACKET,
        'return target.address != 0 && target.address <= ~std::uint64_t{0} - size;',
        'return target.address != 0 && size != 0;'),
    'rdma_map_may_be_empty': (
        RDMA_PACKET,
        'consumer.map_size >= 1 && consumer.map_size <= kMaxMap &&',
        'consumer.map_size <= kMaxMap &&'),
    'rdma_depth_unchecked': (
        RDMA_PACKET,
        'consumer.depth >= 1 && consumer.depth <= kMaxPosted &&',
        'consumer.depth >= 1 &&'),
    'rdma_lane_may_be_none': (
        RDMA_PACKET,
        'return is_id(lane.consumer) && lane.number != 0 && is_end(lane.pair);',
        'return is_id(lane.consumer) && is_end(lane.pair);'),
    'rdma_code_unchecked': (
        RDMA_PACKET,
        'return number >= std::to_underlying(Errc::unknown) && number <= std::to_underlying(Errc::skipped);',
        'return number <= std::to_underlying(Errc::skipped);'),
}
