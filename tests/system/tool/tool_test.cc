// ToolTest: running programs and reading what they say.
#include "tool_test.h"

#include <fstream>
#include <sstream>

#include "support/deadline.h"

namespace comch::test {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Said& said) {
  return out << "exit " << said.code << ", out \"" << said.out << "\", err \"" << said.err << '"';
}

Program::Program(const std::string& line) {
  const std::string err = *dir_ / "err";
  process_ = std::make_unique<ChildProcess>(ChildProcess::exec(
      {"bash", "-c", "exec 2>" + err + "; exec " + line}, (*dir_ / "out").string()));
}

std::string Program::out() const { return content(*dir_ / "out"); }
std::string Program::err() const { return content(*dir_ / "err"); }

bool Program::has_said(const std::string& text) const {
  return eventually([&] { return out().find(text) != std::string::npos; });
}

bool Program::has_reported(const std::string& text) const {
  return eventually([&] { return err().find(text) != std::string::npos; });
}

Said Program::end(const Deadline& deadline) {
  const auto exit = process_->wait(deadline);
  const int code = !exit ? -1 : exit->signal != 0 ? 128 + exit->signal : exit->code;
  return {.code = code, .out = out(), .err = err()};
}

Program ToolTest::listen(const std::string& arguments) {
  Program server("comch listen " + arguments);
  EXPECT_TRUE(server.has_reported("listening as")) << server.err();
  return server;
}

}  // namespace comch::test
