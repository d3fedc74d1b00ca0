// doca_argp_param: what a parameter must be to be registered.
#include "doca/parsed.h"

namespace comch::test {
namespace {

struct ArgpParamTest : ParsedTest {};

TEST_F(ArgpParamTest, ItHasANameATypeAndACallback) {
  doca_argp_param* param = make(nullptr, nullptr, DOCA_ARGP_TYPE_STRING);
  EXPECT_EQ(doca_argp_register_param(param), kNo);
  doca_argp_param_set_long_name(param, "text");
  doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
  EXPECT_EQ(doca_argp_register_param(param), kNo);
  doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
  doca_argp_param_set_callback(param, nullptr);
  EXPECT_EQ(doca_argp_register_param(param), kNo);
  doca_argp_param_set_callback(param, on_text);
  EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
}

TEST_F(ArgpParamTest, AJsonObjectIsKnownByItsLongNameInFiles) {
  doca_argp_param* param = make("o", nullptr, DOCA_ARGP_TYPE_JSON_OBJ);
  EXPECT_EQ(doca_argp_register_param(param), kNo);
  doca_argp_param_set_long_name(param, "object");
  EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
  doca_argp_param* cli = make(nullptr, "other", DOCA_ARGP_TYPE_JSON_OBJ);
  doca_argp_param_set_cli_only(cli);
  EXPECT_EQ(doca_argp_register_param(cli), kNo);
}

TEST_F(ArgpParamTest, ANameIsTakenOnce) {
  param("t", "text", DOCA_ARGP_TYPE_STRING);
  EXPECT_EQ(doca_argp_register_param(make("t", "other", DOCA_ARGP_TYPE_STRING)), kNo);
  EXPECT_EQ(doca_argp_register_param(make("o", "text", DOCA_ARGP_TYPE_STRING)), kNo);
  EXPECT_EQ(doca_argp_register_param(make("o", nullptr, DOCA_ARGP_TYPE_STRING)), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_register_param(make("p", nullptr, DOCA_ARGP_TYPE_STRING)), DOCA_SUCCESS);
}

TEST_F(ArgpParamTest, NamesThatEveryProgramHasAreTaken) {
  for (const char* name : {"h", "v", "l", "j"}) {
    EXPECT_EQ(doca_argp_register_param(make(name, nullptr, DOCA_ARGP_TYPE_INT)), kNo) << name;
  }
  for (const char* name : {"help", "version", "log-level", "sdk-log-level", "json"}) {
    EXPECT_EQ(doca_argp_register_param(make(nullptr, name, DOCA_ARGP_TYPE_INT)), kNo) << name;
  }
}

TEST_F(ArgpParamTest, ItIsRegisteredOnceAndThenTheParsers) {
  doca_argp_param* registered = param("t", "text", DOCA_ARGP_TYPE_STRING);
  EXPECT_EQ(doca_argp_register_param(registered), DOCA_ERROR_INITIALIZATION);
  EXPECT_EQ(doca_argp_param_destroy(registered), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_argp_param_destroy(make("o", nullptr, DOCA_ARGP_TYPE_INT)), DOCA_SUCCESS);
}

TEST_F(ArgpParamTest, NullIsRefusedOrPassedOver) {
  EXPECT_EQ(doca_argp_param_create(nullptr), kNo);
  EXPECT_EQ(doca_argp_param_destroy(nullptr), kNo);
  doca_argp_param_set_short_name(nullptr, "t");
  doca_argp_param_set_long_name(nullptr, "text");
  doca_argp_param_set_arguments(nullptr, "<words>");
  doca_argp_param_set_description(nullptr, "words");
  doca_argp_param_set_callback(nullptr, on_text);
  doca_argp_param_set_type(nullptr, DOCA_ARGP_TYPE_INT);
  doca_argp_param_set_mandatory(nullptr);
  doca_argp_param_set_cli_only(nullptr);
  doca_argp_param_set_multiplicity(nullptr);
  doca_argp_param_set_singular(nullptr);
  doca_argp_param_set_inherited(nullptr);
  doca_argp_param_set_hidden(nullptr);
}

}  // namespace
}  // namespace comch::test
