"""The mistakes that plant.py plants in the headers of the fast path."""

POSTED = 'shm/posted_ring.h'
DESK = 'shm/desk.h'
SWITCH = 'shm/desk_switch.h'
STASH = 'shm/stash.h'
STASHES = 'shm/desk_stashes.h'
WAITERS = 'shm/desk_waiters.h'
WRITER = 'shm/lane_writer.h'
READER = 'shm/lane_reader.h'
WALK = 'shm/lane_walk.h'
ROW = 'shm/lane_row.h'
AWAITED = 'shm/lane_awaited.h'
CHECK = 'shm/record_check.h'
CHUNK = 'shm/chunk_job.h'
RETURNS = 'shm/returns_ring.h'

# What the models include.
ROOTS = {STASH: DESK, STASHES: DESK, SWITCH: DESK, WAITERS: DESK, CHECK: AWAITED, READER: AWAITED,
         WALK: AWAITED, ROW: AWAITED}

MISTAKES = {
    # Orders of the fast path: posted buffers, lanes, hand-overs coming back.
    'post_publish_relaxed': (
        POSTED,
        'Machine::store_header(ring_, first_at_, first_word_, std::memory_order_release);',
        'Machine::store_header(ring_, first_at_, first_word_, std::memory_order_relaxed);'),
    'post_meet_relaxed': (
        POSTED,
        'const std::uint64_t word = Machine::load_header(ring_, at + 8, std::memory_order_acquire);\n'
        '    if (',
        'const std::uint64_t word = Machine::load_header(ring_, at + 8, std::memory_order_relaxed);\n'
        '    if ('),
    'post_of_any_lap': (
        POSTED,
        'if (static_cast<std::uint8_t>(word) != posted_generation(position, lap_shift_)) {',
        'if (static_cast<std::uint8_t>(word) == 0) {'),
    'posts_not_withheld': (
        POSTED,
        '    if (held_ == 0) {\n      writer_.first_at_',
        '    if (false) {\n      writer_.first_at_'),
    'first_posted_alike': (
        POSTED,
        '  if (held_ == 0) return 0;\n',
        ''),
    'run_publish_relaxed': (
        POSTED,
        'Machine::store_header(shared_run_, 0, run_.word(), std::memory_order_release);',
        'Machine::store_header(shared_run_, 0, run_.word(), std::memory_order_relaxed);'),
    'run_meet_relaxed': (
        POSTED,
        'Machine::load_header(run_, 0, std::memory_order_acquire)',
        'Machine::load_header(run_, 0, std::memory_order_relaxed)'),
    'run_of_any_index': (
        POSTED,
        'run_.add(index == next_slot(), capacity);',
        'run_.add(true, capacity);'),
    'lane_publish_relaxed': (
        WRITER,
        'Machine::store_header(slots_, first_at_, first_word_, std::memory_order_release);',
        'Machine::store_header(slots_, first_at_, first_word_, std::memory_order_relaxed);'),
    'lane_meet_relaxed': (
        READER,
        'word = Machine::load_header(slots, at, std::memory_order_acquire);',
        'word = Machine::load_header(slots, at, std::memory_order_relaxed);'),
    'lane_of_any_lap': (
        READER,
        'return static_cast<std::uint32_t>(word) == static_cast<Position>(position + 1U);',
        'return static_cast<std::uint32_t>(word) != 0;'),
    'awaited_meet_relaxed': (
        AWAITED,
        'word = Machine::load_header(slots_, at_, std::memory_order_acquire);',
        'word = Machine::load_header(slots_, at_, std::memory_order_relaxed);'),
    'awaited_of_any_lap': (
        AWAITED,
        'if (word == word_) return Sight::kThis;',
        'if (word >> 48U == word_ >> 48U) return Sight::kThis;'),
    'awaited_of_any_index': (
        AWAITED,
        'if (word == word_) return Sight::kThis;',
        'if (static_cast<std::uint32_t>(word) == next_) return Sight::kThis;'),
    'awaited_amid_others': (
        READER,
        'awaits_ = !shape_.head_credit && may_be_plain();',
        'awaits_ = !shape_.head_credit;'),
    'awaited_is_kept': (
        READER,
        'awaits_ = !shape_.head_credit && may_be_plain();',
        'awaits_ = may_be_plain();'),
    'batch_not_withheld': (
        WRITER,
        '    if (withholds_) {\n      // No edge',
        '    if (withholds_ || (writer_.withheld_ = withholds_ = true, writer_.first_at_ = at,\n'
        '                       writer_.first_word_ = word, true)) {\n'
        '      // No edge'),
    'head_publish_relaxed': (
        READER,
        'shared_.head.publish(published_, std::memory_order_release);',
        'shared_.head.publish(published_, std::memory_order_relaxed);'),
    'lane_publish_at_once_relaxed': (
        WRITER,
        'Machine::store_header(slots, at, word, std::memory_order_release);',
        'Machine::store_header(slots, at, word, std::memory_order_relaxed);'),
    'kept_slot_given_back': (
        READER,
        'return static_cast<Position>(position_ - kept_);',
        'return position_;'),
    'lane_head_meet_relaxed': (
        WRITER,
        'shared_.head.fetch(std::memory_order_acquire);',
        'shared_.head.fetch(std::memory_order_relaxed);'),
    'return_publish_relaxed': (
        RETURNS,
        'Machine::store_header(ring_, at, position_ | std::uint64_t{handle} << 32U,\n'
        '                          std::memory_order_release);',
        'Machine::store_header(ring_, at, position_ | std::uint64_t{handle} << 32U,\n'
        '                          std::memory_order_relaxed);'),
    'return_meet_relaxed': (
        RETURNS,
        'Machine::load_header(ring_, at, std::memory_order_acquire);\n    const auto next',
        'Machine::load_header(ring_, at, std::memory_order_relaxed);\n    const auto next'),
    # Orders and steps of a cooperative copy.
    'copied_relaxed': (
        CHUNK,
        'missed | kOneDone, std::memory_order_release);',
        'missed | kOneDone, std::memory_order_relaxed);'),
    'finished_meet_relaxed': (
        CHUNK,
        'Machine::load_header(data_, claim_at_ + 8, std::memory_order_acquire);',
        'Machine::load_header(data_, claim_at_ + 8, std::memory_order_relaxed);'),
    'late_helper_claims': (
        CHUNK,
        'bool is_ours(std::uint64_t word) const { return static_cast<std::uint32_t>(word) == sequence_; }',
        'bool is_ours(std::uint64_t) const { return true; }'),
    'claim_by_addition': (
        CHUNK,
        '      if (!Machine::swap_word(data_, claim_at_, claimed, word(next + 1),\n'
        '                              std::memory_order_relaxed)) {\n',
        '      if (!is_ours(Machine::add_word(data_, claim_at_, std::uint64_t{1} << 32U,\n'
        '                                     std::memory_order_relaxed))) {\n'),
    # The desk, shared.
    'stash_swap_relaxed': (
        STASH,
        'word_.compare_exchange_strong(expected.value, desired, std::memory_order_acq_rel,',
        'word_.compare_exchange_strong(expected.value, desired, std::memory_order_relaxed,'),
    'stash_meet_relaxed': (
        STASH,
        'return {word_.load(std::memory_order_acquire)};',
        'return {word_.load(std::memory_order_relaxed)};'),
    'refill_swap_relaxed': (
        STASHES,
        'position_.compare_exchange_strong(word, next, std::memory_order_acq_rel,',
        'position_.compare_exchange_strong(word, next, std::memory_order_relaxed,'),
    'refill_not_settled_by_others': (
        STASHES,
        'position_.load(std::memory_order_acquire);\n    settle(word);',
        'position_.load(std::memory_order_acquire);'),
    'stash_generation_stands_still': (
        STASH,
        'return ((value >> 32U) + 1) << 32U |',
        'return (value >> 32U) << 32U |'),
    'put_back_before_its_entry': (
        STASH,
        '      store_entry(low, posted);\n'
        '      if (swap(word, word.next(low, word.high()))) return true;',
        '      if (swap(word, word.next(low, word.high()))) {\n'
        '        store_entry(low, posted);\n'
        '        return true;\n'
        '      }'),
    'share_ahead_of_a_refill': (
        STASHES,
        '  Refill take_refill(std::span<Posted> out, std::size_t& taken) {\n'
        '    const std::uint64_t word = settled();\n',
        '  Refill take_refill(std::span<Posted> out, std::size_t& taken) {\n'
        '    const std::uint64_t word = position_.load(std::memory_order_acquire);\n'),
    'waiter_without_fence': (
        WAITERS,
        '    count_.fetch_add(1, std::memory_order_relaxed);  // No edge: WAIT.\n'
        '    Machine::full_fence();\n',
        '    count_.fetch_add(1, std::memory_order_relaxed);\n'),
    'waiters_looked_at_without_fence': (
        WAITERS,
        '    Machine::full_fence();\n'
        '    return count_.load',
        '    return count_.load'),
    # The desk, from alone to shared.
    'mode_looked_at_before_in_take': (
        SWITCH,
        '    in_take.store(1, std::memory_order_relaxed);  // No edge: ordered by the barrier.\n',
        '    const DeskMode early = mode();\n'
        '    in_take.store(1, std::memory_order_relaxed);\n'
        '    if (early == DeskMode::kSole) {\n'
        '      work();\n'
        '      in_take.store(0, std::memory_order_release);\n'
        '      return early;\n'
        '    }\n'),
    'in_take_without_light_fence': (
        SWITCH,
        '      Machine::light_fence();  // The look at the mode stays behind "in take".\n',
        ''),
    'in_take_without_fence': (
        SWITCH,
        '      Machine::full_fence();\n    } else {',
        '      Machine::light_fence();\n    } else {'),
    'what_is_next_is_taken_unasked': (
        SWITCH,
        'return work_if_sole(in_take, false, work) == DeskMode::kSole;',
        'return work(), true;'),
    'what_is_next_stays_so': (
        DESK,
        '      use();\n'
        '      move_sole_position(sole_position() + 1);\n',
        '      use();\n'),
    'attach_without_barrier': (
        SWITCH,
        '      barrier();\n',
        ''),
    'barrier_before_the_mode': (
        SWITCH,
        '    DeskMode mode = DeskMode::kSole;\n'
        '    if (swap_mode(mode, DeskMode::kSwitching)) mode = DeskMode::kSwitching;\n'
        '    if (mode == DeskMode::kSwitching) {\n'
        '      barrier();\n',
        '    barrier();\n'
        '    DeskMode mode = DeskMode::kSole;\n'
        '    if (swap_mode(mode, DeskMode::kSwitching)) mode = DeskMode::kSwitching;\n'
        '    if (mode == DeskMode::kSwitching) {\n'),
    'attach_does_not_wait_for_a_take': (
        SWITCH,
        '      if (in_take.load(std::memory_order_acquire) != 0) return Attach::kAgain;\n',
        ''),
    # What a hostile peer of the fast path would use.
    'posted_range_unchecked': (
        POSTED,
        'return is_inside || is_none ? Look::kMessage : Look::kBroken;',
        'return is_inside || true ? Look::kMessage : Look::kBroken;'),
    'posted_sum_wraps': (
        POSTED,
        'contains(map_size_, {posted.offset, posted.capacity});',
        'posted.offset + posted.capacity <= map_size_;'),
    'posted_word_fetched_twice': (
        POSTED,
        'posted.capacity = word >> 24U;',
        'posted.capacity = Machine::load_word(ring_, at + 8) >> 24U;'),
    'no_buffer_with_capacity': (
        POSTED,
        '!posted.has_buffer() && posted.capacity == 0;',
        '!posted.has_buffer();'),
    'lane_kind_unchecked': (
        CHECK,
        '    }\n    return false;\n  }\n',
        '    }\n    return true;\n  }\n'),
    'inline_length_unchecked': (
        CHECK,
        'return fits_inline(shape_, record.length, record.immediate);',
        'return true;'),
    'immediate_length_unchecked': (
        CHECK,
        '    if (record.immediate > shape_.immediate_max) return false;\n',
        ''),
    'chunk_range_unchecked': (
        CHECK,
        'return chunk.length != 0 && chunk.length <= limit && contains(shape_.bounce_size, chunk);',
        'return chunk.length != 0 && chunk.length <= limit;'),
    'staged_message_interrupted': (
        CHECK,
        'if (is_open() != (record.kind == LaneKind::kStagedNext)) return false;',
        ''),
    'plain_length_unchecked': (
        WALK,
        'kind == LaneKind::kInline && length - 1 < kLanePayload',
        'kind == LaneKind::kInline && length - 1 < kMaxLaneLength'),
    'row_count_unchecked': (
        CHECK,
        'record.length - 1 < kRowPayload && record.immediate - 1 < shape_.slots;',
        'record.length - 1 < kRowPayload;'),
    'row_length_unchecked': (
        CHECK,
        'record.length - 1 < kRowPayload && record.immediate - 1 < shape_.slots;',
        'record.immediate - 1 < shape_.slots;'),
    'row_amid_staged': (
        CHECK,
        'return is_row(record) && !is_open();',
        'return is_row(record);'),
    'plain_amid_staged': (
        READER,
        'return !broken_ && !check_.is_open() && row_.left == 0;',
        'return !broken_ && row_.left == 0;'),
    'lane_lengths_fetched_twice': (
        READER,
        'record.immediate = static_cast<std::uint32_t>(lengths >> 48U);',
        'record.immediate =\n'
        '        static_cast<std::uint32_t>(Machine::load_word(slots_, at + 8) >> 48U);'),
    'broken_lane_forgiven': (
        READER,
        '    if (broken_) return Look::kBroken;\n',
        ''),
    'lane_head_unchecked': (
        WRITER,
        'if (static_cast<Position>(head - head_) > static_cast<Position>(position_ - head_)) {',
        'if (false) {'),
    'lane_head_may_move_back': (
        WRITER,
        'if (static_cast<Position>(head - head_) > static_cast<Position>(position_ - head_)) {',
        'if (head > position_) {'),
    'claims_unbounded': (
        CHUNK,
        '      if (next >= chunks()) return false;\n',
        ''),
    'claim_may_move_back': (
        CHUNK,
        '      if (next < unclaimed_) break;  // It has moved back.\n',
        ''),
    'impossible_count_accepted': (
        CHUNK,
        'if (!is_ours(done) || count > chunks() || count < done_) broken_ = true;',
        'if (!is_ours(done)) broken_ = true;'),
    'missed_chunk_forgotten': (
        CHUNK,
        'return done >> kMissedAt == 0 && !has_missed_ ?',
        'return done >> kMissedAt == 0 ?'),
    'peers_miss_ignored': (
        CHUNK,
        'return done >> kMissedAt == 0 && !has_missed_ ?',
        'return !has_missed_ ?'),
    'miss_counted_first': (
        CHUNK,
        '    Machine::add_word(data_, claim_at_ + 8, missed | kOneDone, std::memory_order_release);',
        '    Machine::add_word(data_, claim_at_ + 8, kOneDone, std::memory_order_release);\n'
        '    if (missed != 0)\n'
        '      Machine::add_word(data_, claim_at_ + 8, missed, std::memory_order_release);'),
    'broken_job_forgiven': (
        CHUNK,
        '    if (broken_) return JobState::kBroken;\n',
        '    if (broken_ && !is_ours(done)) return JobState::kBroken;\n'),
}
