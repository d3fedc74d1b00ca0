#!/usr/bin/env python3
"""Plants one known mistake in a copy of a source file, for a test that must find it.

    plant.py NAME CORE_DIR OUTPUT

A test proves nothing until it has failed for a reason. Each mistake is a piece of the source
as it stands and what it becomes; a piece that is not there exactly once is an error, so that
the list follows the source.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # The sources stay as they are.
import fast_mistakes  # noqa: E402
import packet_mistakes  # noqa: E402

RING = 'shm/record_ring.h'
BELL = 'shm/bell.h'

MISTAKES = {
    # Orders of the ring: found by the model, and by TSan where a payload races.
    'data_publish_relaxed': (
        RING,
        'Machine::store_header(data_, place.index, header, std::memory_order_release);',
        'Machine::store_header(data_, place.index, header, std::memory_order_relaxed);'),
    'data_meet_relaxed': (
        RING,
        'std::uint64_t header = Machine::load_header(data_, index(), std::memory_order_acquire);',
        'std::uint64_t header = Machine::load_header(data_, index(), std::memory_order_relaxed);'),
    'padding_publish_relaxed': (
        RING,
        'record_header(kRecordPadding, place.padding - kRecordHeader),\n'
        '                          std::memory_order_release);',
        'record_header(kRecordPadding, place.padding - kRecordHeader),\n'
        '                          std::memory_order_relaxed);'),
    'space_publish_relaxed': (
        RING,
        'shared_.head_bytes.publish(position_, std::memory_order_release);',
        'shared_.head_bytes.publish(position_, std::memory_order_relaxed);'),
    'space_meet_relaxed': (
        RING,
        'shared_.head_bytes.fetch(std::memory_order_acquire);',
        'shared_.head_bytes.fetch(std::memory_order_relaxed);'),
    # Steps of the ring that are left out or come too early.
    'next_place_not_zeroed': (
        RING,
        'Machine::store_header(data_, (begin + place.stride) & (capacity_ - 1), 0,\n'
        '                          std::memory_order_relaxed);',
        ''),
    'next_place_not_free': (
        RING,
        'place.stride + kRecordHeader <= capacity_',
        'place.stride <= capacity_'),
    'padding_without_record': (
        RING,
        '    Machine::store_header(data_, 0, header, std::memory_order_relaxed);\n',
        ''),
    # The bell.
    'sleeper_without_fence': (
        BELL,
        '    Machine::full_fence();  // SLEEP: orders "armed" before',
        '    // SLEEP: orders "armed" before'),
    'ringer_without_fence': (
        BELL,
        '    Machine::full_fence();  // SLEEP: orders the publication before',
        '    // SLEEP: orders the publication before'),
    'ringer_looks_once': (
        BELL,
        'const std::uint64_t word = bell_.word.fetch(std::memory_order_relaxed);',
        'const std::uint64_t word = first;'),
    'word_not_raised': (
        BELL,
        '    bell_.rings.raise(std::memory_order_relaxed);  // No edge: the kernel compares it.\n',
        ''),
    'value_read_behind_the_promise': (
        BELL,
        '    const std::uint32_t value = bell_.rings.fetch();\n'
        '    // WORD: the look at the value happens before who meets this raises it.\n'
        '    bell_.word.publish(episode_ | kBellArmed | kBellByWord, std::memory_order_release);\n'
        '    return value;',
        '    bell_.word.publish(episode_ | kBellArmed | kBellByWord, std::memory_order_release);\n'
        '    return bell_.rings.fetch();'),
    'episode_stands_still': (
        BELL,
        '    episode_ += kBellEpisode;\n',
        ''),
    'armed_after_the_fence': (
        BELL,
        '    publish(episode_ | kBellArmed);\n'
        '    if (relaxed_) {\n'
        '      relaxed_ = false;\n'
        '      return true;\n'
        '    }\n'
        '    Machine::full_fence();',
        '    Machine::full_fence();\n'
        '    publish(episode_ | kBellArmed);\n'
        '    if (relaxed_) {\n'
        '      relaxed_ = false;\n'
        '      return true;\n'
        '    }\n'
        '    // '),
    'arm_forgets_that_it_was_relaxed': (
        BELL,
        '      relaxed_ = false;\n      return true;\n',
        '      relaxed_ = false;\n      return false;\n'),
    'relaxed_while_asleep': (
        BELL,
        'publish(episode_ | kBellArmed);',
        'publish(episode_ | kBellArmed | (relaxed_ ? kBellRelaxed : 0));'),
    'look_before_publication': (
        BELL,
        '    Machine::light_fence();  // The look',
        '    // The look'),
    # What a hostile peer would use.
    'length_unchecked': (
        RING,
        'header >> 32 != kRecordMessage || length > max_message_',
        'header >> 32 != kRecordMessage'),
    'stamp_optional': (
        RING,
        '    if ((header >> 32 & 0xff) != kRecordStamped) return 0;\n',
        '    if ((header >> 32 & 0xff) != kRecordStamped) return header;\n'),
    'ring_end_unchecked': (
        RING,
        '    if (record_stride(length) > room()) return break_ring();\n',
        ''),
    'padding_unchecked': (
        RING,
        '      if (header != record_header(kRecordPadding, room() - kRecordHeader)) '
        'return break_ring();\n',
        ''),
    'padding_without_end': (
        RING,
        '    if (header >> 32 == kRecordPadding) {',
        '    while (header >> 32 == kRecordPadding) {'),
    'head_unchecked': (
        RING,
        'return static_cast<Position>(value - from) <= static_cast<Position>(to - from);',
        'return true;'),
    'head_may_move_back': (
        RING,
        'return static_cast<Position>(value - from) <= static_cast<Position>(to - from);',
        'return value <= to;'),
    'header_fetched_twice': (
        RING,
        'const auto length = static_cast<std::uint32_t>(header);',
        'const auto length = static_cast<std::uint32_t>(\n'
        '        Machine::load_header(data_, index(), std::memory_order_acquire));'),
    'broken_ring_forgiven': (
        RING,
        '    if (broken_) return Look::kBroken;\n',
        ''),
}


# What a test includes or compiles, for a file that it does not include itself.
ROOTS = {BELL: RING, **fast_mistakes.ROOTS}
MISTAKES.update(fast_mistakes.MISTAKES)
MISTAKES.update(packet_mistakes.MISTAKES)

INCLUDE = re.compile(r'^#include "(.*)"$', re.MULTILINE)


class Planted:
    """Headers with one of them as it becomes, and those that include it in one piece with it."""

    def __init__(self, core, source, text):
        self.core, self.source, self.text = core, source, text
        self.seen = set()

    def read(self, name):
        if name == self.source:
            return self.text
        path = self.core / name
        return path.read_text() if path.exists() else ''

    def reaches(self, name):
        """Whether the file is the planted one, or includes it, however far down."""
        return name == self.source or any(map(self.reaches, INCLUDE.findall(self.read(name))))

    def whole(self, name):
        self.seen.add(name)

        def put_in(include):
            inner = include.group(1)
            if not self.reaches(inner):
                return include.group(0)
            return '' if inner in self.seen else self.whole(inner).replace('#pragma once', '')

        return INCLUDE.sub(put_in, self.read(name))


def main():
    name, core_dir, output = sys.argv[1:]
    core = pathlib.Path(core_dir)
    source, was, becomes = MISTAKES[name]
    text = (core / source).read_text()
    if text.count(was) != 1:
        sys.exit(f'plant.py: {source} has {text.count(was)} places for {name}, not 1')
    root = ROOTS.get(source, source)
    pathlib.Path(output).write_text(Planted(core, source, text.replace(was, becomes)).whole(root))


if __name__ == '__main__':
    main()
