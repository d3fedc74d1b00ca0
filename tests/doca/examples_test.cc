// The examples of the C API, as the programs they are: each pair in two processes, polling and
// with epoll; what they say, how they end, and what their options do.
//
// Pairs talk over every carrier there is: shared memory, and what COMCH_DOCA_EXAMPLES_DEVICES
// describes, a file in which the addresses that the programs have as defaults are devices of
// another carrier.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {

// Where meson has built the program.
std::string program(const std::string& name) {
  const char* const folder = std::getenv("COMCH_DOCA_EXAMPLES");
  return (folder == nullptr ? std::string(".") : std::string(folder)) + "/" + name;
}

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

bool says(const std::string& output, const std::string& words) {
  return output.find(words) != std::string::npos;
}

struct ExamplesTest : testing::Test {
  // The server of a pair; it listens when this returns.
  ChildProcess serve(const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> argv{program(name)};
    argv.insert(argv.end(), options.begin(), options.end());
    ChildProcess child = ChildProcess::exec(argv, server_output);
    EXPECT_TRUE(eventually([&] { return says(server_says(), "Waiting for a client"); }))
        << server_says();
    return child;
  }
  std::string server_says() const { return contents(server_output); }

  RuntimeDirectory runtime;
  TempDir files;
  const std::string server_output = files / "server";
};

// How the two meet. `devices` describes them; empty: the built-in fabric.
struct Carrier {
  std::string name;
  std::string devices;
};
std::vector<Carrier> carriers() {
  std::vector<Carrier> all{{.name = "shared_memory", .devices = ""}};
  const char* const described = std::getenv("COMCH_DOCA_EXAMPLES_DEVICES");
  if (described != nullptr) all.push_back({.name = "described", .devices = described});
  return all;
}

// A pair, what each program says of the other's text, and how it waits.
struct Pair {
  std::string name;
  std::string server_says;
  std::string client_says;
};
struct PairTest : ExamplesTest, testing::WithParamInterface<std::tuple<Pair, bool, Carrier>> {
  PairTest() {
    const std::string& devices = std::get<2>(GetParam()).devices;
    if (!devices.empty()) setenv("COMCH_DEVICES", devices.c_str(), 1);
  }
  ~PairTest() override {
    if (!std::get<2>(GetParam()).devices.empty()) unsetenv("COMCH_DEVICES");
  }

  const Pair& pair() const { return std::get<0>(GetParam()); }
  std::vector<std::string> with(std::vector<std::string> options) const {
    if (std::get<1>(GetParam())) options.emplace_back("--epoll");
    return options;
  }
  void talk(const std::vector<std::string>& server_options,
            const std::vector<std::string>& client_options, const std::string& server_text,
            const std::string& client_text) {
    ChildProcess server = serve(pair().name + "_server", with(server_options));
    std::vector<std::string> argv{program(pair().name + "_client")};
    for (const std::string& option : with(client_options)) argv.push_back(option);
    const auto client = run_program(argv);
    ASSERT_TRUE(client) << "the client still runs";
    EXPECT_EQ(client->exit, Exit::with(0)) << client->output;
    EXPECT_TRUE(says(client->output, pair().client_says + server_text + "\n")) << client->output;
    EXPECT_EQ(server.wait(), Exit::with(0)) << server_says();
    EXPECT_TRUE(says(server_says(), pair().server_says + client_text + "\n")) << server_says();
    EXPECT_TRUE(runtime.entries().empty()) << "something of the server is left";
  }
};

TEST_P(PairTest, TalksWithoutArguments) {
  talk({}, {}, "Message from the server", "Message from the client");
}

TEST_P(PairTest, TalksAsToldOnTheDevicesItIsTold) {
  talk({"-p", "03:00.0", "-r", "b1:00.0", "-t", "one two"},
       {"--pci-addr", "0000:b1:00.0", "--text", "three, four"}, "one two", "three, four");
}

INSTANTIATE_TEST_SUITE_P(
    Every, PairTest,
    testing::Combine(testing::Values(Pair{"doca_comch_ctrl_path", "Received: ", "Received: "},
                                     Pair{"doca_comch_data_path_high_speed",
                                          "Received by the fast path: ",
                                          "Received by the fast path: "},
                                     Pair{"doca_comm_channel", "Received: ", "Received: "}),
                     testing::Bool(), testing::ValuesIn(carriers())),
    [](const auto& test) {
      return std::get<0>(test.param).name + (std::get<1>(test.param) ? "_epoll_" : "_polling_") +
             std::get<2>(test.param).name;
    });

TEST_F(ExamplesTest, AMessageComesBackFromTheAccelerator) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"-e", "-t", "32 bytes at most", "-p", "b1:00.0"}}) {
    std::vector<std::string> argv{program("doca_comch_msgq")};
    argv.insert(argv.end(), options.begin(), options.end());
    const auto ended = run_program(argv);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit, Exit::with(0)) << ended->output;
    EXPECT_TRUE(says(ended->output, options.empty() ? "Received: Message to the accelerator\n"
                                                    : "Received: 32 bytes at most\n"))
        << ended->output;
  }
  const auto too_long =
      run_program({program("doca_comch_msgq"), "-t", "this message has more than 32 bytes"});
  ASSERT_TRUE(too_long);
  EXPECT_EQ(too_long->exit, Exit::with(EXIT_FAILURE)) << too_long->output;
}

TEST_F(ExamplesTest, AClientWithoutAServerFails) {
  for (const char* const name :
       {"doca_comch_ctrl_path_client", "doca_comch_data_path_high_speed_client",
        "doca_comm_channel_client"}) {
    const auto ended = run_program({program(name)});
    ASSERT_TRUE(ended) << name;
    EXPECT_EQ(ended->exit, Exit::with(EXIT_FAILURE)) << ended->output;
  }
}

TEST_F(ExamplesTest, OptionsAreThoseOfTheSide) {
  for (const char* const name :
       {"doca_comch_ctrl_path", "doca_comch_data_path_high_speed", "doca_comm_channel"}) {
    for (const char* const side : {"_server", "_client"}) {
      const std::string path = program(std::string(name) + side);
      const bool on_dpu = std::string(side) == "_server";
      const auto help = run_program({path, "--help"});
      ASSERT_TRUE(help);
      EXPECT_EQ(help->exit, Exit::with(0));
      for (const char* const option : {"--pci-addr", "--text", "--epoll", "--log-level"}) {
        EXPECT_TRUE(says(help->output, option)) << help->output;
      }
      EXPECT_EQ(says(help->output, "--rep-pci"), on_dpu) << help->output;
      const auto version = run_program({path, "-v"});
      ASSERT_TRUE(version);
      EXPECT_EQ(version->exit, Exit::with(0)) << version->output;
      const auto elsewhere = run_program({path, "-p", "ff:1f.7"});
      ASSERT_TRUE(elsewhere);
      EXPECT_EQ(elsewhere->exit, Exit::with(EXIT_FAILURE));
      EXPECT_TRUE(says(elsewhere->output, "There is no device ff:1f.7")) << elsewhere->output;
      const auto unknown = run_program({path, on_dpu ? "--unknown" : "--rep-pci", "b1:00.0"});
      ASSERT_TRUE(unknown);
      EXPECT_EQ(unknown->exit, Exit::with(EXIT_FAILURE)) << unknown->output;
      const auto nothing = run_program({path, "-t", ""});
      ASSERT_TRUE(nothing);
      EXPECT_EQ(nothing->exit, Exit::with(EXIT_FAILURE)) << nothing->output;
    }
  }
}

TEST_F(ExamplesTest, TheLogLevelSilencesAProgram) {
  ChildProcess server = serve("doca_comm_channel_server", {});
  const auto client = run_program({program("doca_comm_channel_client"), "-l", "30"});
  ASSERT_TRUE(client);
  EXPECT_EQ(client->exit, Exit::with(0));
  EXPECT_EQ(client->output, "");
  EXPECT_EQ(server.wait(), Exit::with(0)) << server_says();
}

}  // namespace
}  // namespace comch::test
