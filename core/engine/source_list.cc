// SourceList: see source_list.h.
#include "engine/source_list.h"

#include <algorithm>

#include "os/membarrier.h"

namespace comch::engine {

void SourceList::make_hot(Source& source) {
  source.notes.sign = {};
  if (source.notes.attention == Attention::kHot) return;
  if (source.notes.armed) disarm(source);
  source.notes.attention = Attention::kHot;
  source.notes.active = true;
  source.notes.index = hot_.size();
  hot_.push_back(&source);
  ++hot_count_;
  first_quiet_ = hot_.size();
}

void SourceList::remove(Source& source) {
  if (source.notes.armed) disarm(source);
  if (source.notes.attention == Attention::kHot) {
    hot_[source.notes.index] = nullptr;
    holes_ = true;
    --hot_count_;
    if (!polling_) compact();
  }
  source.notes.attention = Attention::kOff;
}

bool SourceList::any_ready() const {
  return std::ranges::any_of(hot_, [](Source* source) { return source->ready(); });
}

void SourceList::settle(bool relax) {
  put_quiet_behind();
  bool needs_membarrier = false;
  std::vector<Source*> drowsy;
  for (Source* source : hot_) {
    if (source->notes.active) {
      source->notes.active = false;
    } else if (hot_count_ - drowsy.size() > kHotWhenQuiet) {
      drowsy.push_back(source);
      continue;
    }
    if (relax && !source->notes.relaxed && !source->notes.armed) {
      source->notes.relaxed = true;
      source->relax();
    }
  }
  for (Source* source : drowsy) arm(*source, needs_membarrier);
  if (needs_membarrier) os::expedite();
  for (Source* source : drowsy) {
    if (source->ready()) {
      disarm(*source);
      source->notes.active = true;
      continue;
    }
    hot_[source->notes.index] = nullptr;
    holes_ = true;
    --hot_count_;
    source->notes.attention = Attention::kAsleep;
  }
  if (holes_) compact();
}

void SourceList::put_quiet_behind() {
  const auto quiet =
      std::ranges::partition(hot_, [](const Source* source) { return source->notes.active; });
  first_quiet_ = hot_.size() - quiet.size();
  for (std::size_t i = 0; i < hot_.size(); ++i) hot_[i]->notes.index = i;
}

bool SourceList::arm_all(Words& words) {
  bool needs_membarrier = false;
  for (Source* source : hot_) {
    if (source->arms_always() || heeds(*source)) arm(*source, needs_membarrier);
    if (source->notes.armed && words.count != words.room.size()) ask_for_word(*source, words);
  }
  if (needs_membarrier) os::expedite();
  // One that is armed looks once more in any case.
  return std::ranges::any_of(hot_, [this](Source* source) {
    return source->notes.armed && source->ready() && heeds(*source);
  });
}

void SourceList::disarm_all() {
  for (Source* source : hot_) {
    if (source->notes.armed) disarm(*source);
  }
}

void SourceList::arm(Source& source, bool& needs_membarrier) {
  if (source.notes.armed) return;
  source.notes.armed = true;
  source.notes.relaxed = false;
  if (source.arm()) needs_membarrier = true;
}

void SourceList::ask_for_word(Source& source, Words& words) {
  std::optional<WakeWord> word = source.ask_for_word();
  if (!word) return;
  if (source.notes.number == 0) source.notes.number = ++numbers_;
  word->source = source.notes.number;
  words.room[words.count++] = *word;
}

void SourceList::disarm(Source& source) {
  source.notes.armed = false;
  source.disarm();
}

void SourceList::compact() {
  std::size_t kept = 0;
  const std::size_t first_quiet = first_quiet_;
  for (std::size_t i = 0; i < hot_.size(); ++i) {
    Source* const source = hot_[i];
    if (source == nullptr) {
      if (i < first_quiet) --first_quiet_;
      continue;
    }
    source->notes.index = kept;
    hot_[kept++] = source;
  }
  hot_.resize(kept);
  holes_ = false;
}

}  // namespace comch::engine
