// CtlFile: the open end of a ctl file, through which orders are given.
//
//   printf 'disconnect conn3\nreset-stats\n' > ctl
//
// The orders of one write run one after the other; the first that fails ends the write
// with its errno, and those behind it are not tried. Reading gives the result of this
// open file's last write, or a list of the orders there are.
//
// Threads: the loop's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ctl_grammar.h"
#include "open_file.h"
#include "operations.h"
#include "outcome.h"

namespace comch::fuse {

// Who obeys: an object of the tree.
class CtlTarget {
 public:
  virtual ~CtlTarget() = default;
  virtual Outcome obey(const Order& order) = 0;
  virtual std::string ctl_usage() const = 0;  // One line for each order.
  virtual bool is_gone() const { return false; }

 protected:
  // What obey() answers to an order that it has no line for.
  Outcome misunderstood(const Order& order) const;
};

class CtlFile : public OpenFile {
 public:
  // `first_answer` is what a read gives before anything was written.
  CtlFile(std::shared_ptr<CtlTarget> target, std::string first_answer, Operations& operations);

  void read(Request request, const Read& read) override;
  void write(Request request, const Write& write) override;

 private:
  Outcome start(std::string_view text);

  const std::shared_ptr<CtlTarget> target_;
  Operations& operations_;
  // Shared with a write that is still held, which may end after this file is closed.
  struct Answer {
    std::string text;
    std::size_t read = 0;  // How much of it was read; at its end a read says so once.
  };
  const std::shared_ptr<Answer> answer_;
};

}  // namespace comch::fuse
