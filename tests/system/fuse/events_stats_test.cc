// What the tree tells about itself: events, counters, JSON and metrics.
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "attempt.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using EventsTest = PairTest;
using StatsTest = PairTest;

// Reads lines until one holds `word`; whether it came in time.
bool sees(const File& events, const std::string& word) {
  std::string lines;
  return eventually([&] {
    lines += events.read().bytes;
    return lines.find(word) != std::string::npos;
  });
}

TEST_F(EventsTest, ConnectAndDisconnectAreOneLineEach) {
  const File events(server_ / "events", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(connect("you", "echo"), 0);
  EXPECT_TRUE(sees(events, "conn1"));
  ASSERT_EQ(remove_directory(at("clients/you")), 0);
  EXPECT_TRUE(sees(events, "conn1"));
}

TEST_F(EventsTest, EveryReadEndsWithAWholeLine) {
  const File events(at("events"), O_RDONLY | O_NONBLOCK);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(connect("c" + std::to_string(i), "echo"), 0);
  for (Got lines = events.wait_and_read(); lines.error == 0; lines = events.read()) {
    ASSERT_FALSE(lines.bytes.empty());
    EXPECT_EQ(lines.bytes.back(), '\n');
  }
}

TEST_F(EventsTest, EveryOpenerHasItsOwnCursor) {
  const File first(at("events"), O_RDONLY | O_NONBLOCK),
      second(at("events"), O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(make_server("another"), 0);
  EXPECT_TRUE(sees(first, "another"));
  EXPECT_TRUE(sees(second, "another")) << "also after somebody else has read it";
}

TEST_F(EventsTest, ReaderWaitsForTheNextLineThereIsNoEnd) {
  const Attempt reader([&] {
    const File events(at("events"));
    for (;;) {
      const Got line = events.read();
      if (line.error != 0 || line.bytes.empty() || line.bytes.find("awaited") != std::string::npos)
        return line;
    }
  });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(make_server("awaited"), 0);
  EXPECT_NE(reader.result().bytes.find("awaited"), std::string::npos) << reader.result();
}

TEST_F(EventsTest, MountsEventsNameTheObject) {
  const File events(at("events"), O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(connect("you", "echo"), 0);
  EXPECT_TRUE(sees(events, "conn1"));
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_TRUE(sees(events, "echo"));
}

TEST_F(EventsTest, ReaderThatIsTooSlowHoldsNobodyUp) {
  const File slow(server_ / "events", O_RDONLY | O_NONBLOCK);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(write_to(server_ / "enable", "maybe"), EINVAL);
  const Got lines = slow.wait_and_read();
  EXPECT_EQ(lines.error, 0);
  EXPECT_FALSE(lines.bytes.empty());
}

TEST_F(StatsTest, MessagesAndBytesAreCountedOnBothEnds) {
  ASSERT_EQ(send(client_end_, "hello"), 0);
  ASSERT_EQ(send(client_end_, "you"), 0);
  ASSERT_EQ(get(server_end_), got("hello"));
  ASSERT_EQ(get(server_end_), got("you"));
  EXPECT_TRUE(eventually([&] { return value(client_end_ / "stats/tx_msgs") == "2"; }));
  EXPECT_EQ(value(client_end_ / "stats/tx_bytes"), "8");
  EXPECT_EQ(value(client_end_ / "stats/rx_msgs"), "0");
  EXPECT_EQ(value(client_end_ / "stats/in_flight"), "0");
  EXPECT_EQ(value(server_end_ / "stats/rx_msgs"), "2");
  EXPECT_EQ(value(server_end_ / "stats/rx_bytes"), "8");
  EXPECT_EQ(value(server_end_ / "stats/tx_msgs"), "0");
}

TEST_F(StatsTest, EveryFileIsOneNumber) {
  for (const fs::path& directory : {server_ / "stats", client_ / "stats", server_end_ / "stats"})
    for (const auto& entry : fs::directory_iterator(directory))
      EXPECT_TRUE(std::regex_match(text_of(entry.path()).bytes, std::regex("[0-9]+\n")))
          << entry.path() << ": " << text_of(entry.path());
}

TEST_F(StatsTest, JSONHoldsTheSameNumbers) {
  ASSERT_EQ(send(client_end_, "hello"), 0);
  ASSERT_EQ(get(server_end_), got("hello"));
  const auto json = nlohmann::json::parse(text_of(server_end_ / "stats.json").bytes);
  for (const auto& entry : fs::directory_iterator(server_end_ / "stats")) {
    const std::string name = entry.path().filename();
    ASSERT_TRUE(json.contains(name)) << name << " is not in " << json;
    EXPECT_EQ(std::to_string(json[name].get<std::uint64_t>()), value(entry.path())) << name;
  }
}

TEST_F(StatsTest, StatusJSONHoldsEveryObject) {
  ASSERT_EQ(make_server("with \"quotes\" and \n newline"), 0);
  const std::string text = text_of(at("status.json")).bytes;
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json.is_object());
  for (const char* word : {"echo", "me", "conn0", "running", "with \\\"quotes\\\""})
    EXPECT_NE(text.find(word), std::string::npos) << word << " is not in " << text;
}

TEST_F(StatsTest, MetricsAreLinesOfPrometheusText) {
  ASSERT_EQ(make_server("with \"quotes\" and \n newline"), 0);
  std::istringstream metrics(text_of(at("metrics")).bytes);
  const std::regex comment(R"(# (HELP|TYPE) [a-z_]+ .+)");
  const std::regex sample(R"re([a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? -?[0-9.e+]+)re");
  int samples = 0;
  for (std::string line; std::getline(metrics, line);) {
    if (line.empty()) continue;
    EXPECT_TRUE(std::regex_match(line, line.front() == '#' ? comment : sample)) << line;
    samples += line.front() != '#';
  }
  EXPECT_GT(samples, 0);
}

TEST_F(StatsTest, MetricsAreUTF8WhateverBytesANameHas) {
  ASSERT_EQ(make_server("caf\xe9 \"au\" \xc3\xa9t\xc3\xa9"), 0);
  const std::string metrics = text_of(at("metrics")).bytes;
  EXPECT_NE(metrics.find("name=\"caf\xef\xbf\xbd \\\"au\\\" \xc3\xa9t\xc3\xa9\""),
            std::string::npos);
  EXPECT_EQ(metrics.find('\xe9'), std::string::npos);
}

TEST_F(StatsTest, MetricsCountMessages) {
  const std::string before = text_of(at("metrics")).bytes;
  ASSERT_EQ(send(client_end_, "hello"), 0);
  ASSERT_EQ(get(server_end_), got("hello"));
  // Where a report takes long it serves for some time.
  EXPECT_TRUE(eventually([&] { return text_of(at("metrics")).bytes != before; }));
}

}  // namespace
}  // namespace comch::test
