// Attribute: a file that is one value.
//
//   attribute->show()          "64"; the file reads "64\n" and is three bytes long
//   echo 128 > recv_queue_size  store("128"), whose outcome is the write's
//
// A read at offset 0 takes a snapshot, and the rest of the file is read from that, so
// that no reader sees half of one value and half of another. poll(2) reports POLLPRI
// once the value differs from the one read last.
//
// Threads: the loop's. Order: whole value in one write; where in the file it is written
// makes no difference, as in sysfs.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "node.h"
#include "operations.h"
#include "outcome.h"

namespace comch::fuse {

class AttributeFile;

// The attribute files that somebody polls. Values have no events of their own: they are
// compared when something may have happened, which costs nothing while nobody polls. Whoever
// polls thousands waits for them himself: a look ends after its time, and the next goes on. A
// report that is not to be written again yet is looked at once more when it is.
class AttributeWatch {
 public:
  void add(AttributeFile& file) { files_.insert(&file); }
  void remove(AttributeFile& file) { files_.erase(&file); }
  // Something may have happened: every value is due to be compared.
  void look_again() { due_ = files_.size(); }
  bool is_due() const { return due_ != 0 && !files_.empty(); }
  // How long the loop may sleep before a value is due; -1 for ever.
  int timeout_ms() const;
  // Notifies the pollers of values that have changed since they were read.
  void check();

 private:
  static constexpr std::chrono::microseconds kTurn{100};  // Picked: some requests.

  using Clock = std::chrono::steady_clock;

  std::set<AttributeFile*> files_;
  std::size_t due_ = 0;
  Clock::time_point next_look_ = Clock::time_point::max();
  AttributeFile* last_ = nullptr;  // Compared; never looked into.
};

struct AttributeSpec {
  using Show = std::function<std::string()>;
  using Store = std::function<Outcome(std::string_view value)>;
  using StoreFor = std::function<Outcome(std::string_view value, const Caller& caller)>;

  Show show;
  Store store = {};          // None: read only.
  StoreFor store_for = {};   // Instead of `store`, where it matters who writes: the one who has
                             // opened the file, unless root passed it on to somebody who writes.
  bool may_be_held = false;  // A write may wait: private node ids, see node.h.
  bool is_text = false;      // Several lines, which carry their newlines themselves.
  bool is_report = false;    // Of all there is, which takes its time: see Attribute::text(). For
                             // who only asks how long it is, it is as long as the last time.
};

class Attribute final : public Node {
 public:
  Attribute(std::shared_ptr<ObjectRecord> record, AttributeSpec spec, Operations& operations,
            AttributeWatch& watch)
      : Node(std::move(record)), spec_(std::move(spec)), operations_(operations), watch_(watch) {}

  using Text = std::shared_ptr<const std::string>;
  using Clock = std::chrono::steady_clock;

  // As it is read, with its newline. A report whose writing took the loop more than a millisecond
  // serves all for twenty times as long: it takes a twentieth of the loop at most, however many
  // read it.
  Text text() const;
  // For who polls it. A report serves them so, whatever it took; text_is_good_until() says how
  // long.
  Text text_for_pollers() const;
  Clock::time_point text_is_good_until() const { return good_until_; }
  bool is_report() const { return spec_.is_report; }
  bool is_writable() const { return spec_.store || spec_.store_for; }

  struct stat attributes() const override;
  std::expected<std::unique_ptr<OpenFile>, int> open(const OpenRequest& request) override;
  bool has_private_ids() const override { return spec_.may_be_held; }
  double entry_timeout_s() const override { return spec_.may_be_held ? 0 : kLong; }
  double attribute_timeout_s() const override { return 0; }

 private:
  std::size_t length() const;
  Text render() const;

  const AttributeSpec spec_;
  Operations& operations_;
  AttributeWatch& watch_;
  // Of a report, the last time.
  mutable Text rendered_;
  mutable bool was_cheap_ = true;
  mutable Clock::time_point good_until_;
};

class AttributeFile final : public OpenFile {
 public:
  struct Daemon {
    Operations& operations;
    AttributeWatch& watch;
  };
  AttributeFile(const AttributeSpec& spec, std::shared_ptr<const Attribute> node, Daemon daemon,
                const Caller& opener);
  ~AttributeFile() override;

  void read(Request request, const Read& read) override;
  void write(Request request, const Write& write) override;
  unsigned readiness() override;
  unsigned open_flags() const override;
  bool has_changed() const;
  // When a look at it may tell more than the last one did.
  std::chrono::steady_clock::time_point next_look() const;

 private:
  Outcome store(std::string_view value, const Caller& writer) const;

  const std::shared_ptr<const Attribute> node_;  // Keeps the spec.
  const AttributeSpec& spec_;
  Operations& operations_;
  AttributeWatch& watch_;
  const Caller opener_;
  Attribute::Text snapshot_;
};

}  // namespace comch::fuse
