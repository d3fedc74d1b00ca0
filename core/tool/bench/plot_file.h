// PlotFile: the file that `comch bench --plot` draws into.
//
//   auto plot = PlotFile::open("figures.svg").value();   // Complains before the work is done.
//   ... measure ...
//   plot.draw(rows);
//
// Threads: one.
#pragma once

#include <string>
#include <vector>

#include "tool/bench/figures.h"
#include "tool/complaint.h"

namespace comch::tool {

class PlotFile {
 public:
  // An empty path is no file, and draw() does nothing. A file that is there is emptied.
  static Outcome<PlotFile> open(const std::string& path);

  Outcome<> draw(const std::vector<Figures>& rows) const;

 private:
  explicit PlotFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Why no plot can be drawn into a file of this name, by its ending; empty when one can.
std::string objection_to_plot_file(const std::string& path);

}  // namespace comch::tool
