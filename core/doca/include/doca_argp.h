/* doca_argp.h: the options of a program, from its command line and from a JSON file.
 *
 *   doca_argp_init(NULL, &config);              NULL: the name is that of argv[0]
 *   doca_argp_param_create(&param);
 *   doca_argp_param_set_short_name(param, "p");
 *   doca_argp_param_set_long_name(param, "pci-addr");
 *   doca_argp_param_set_arguments(param, "<PCI>");
 *   doca_argp_param_set_description(param, "Address of the device");
 *   doca_argp_param_set_callback(param, pci_callback);     pci_callback(char *value, &config)
 *   doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
 *   doca_argp_register_param(param);
 *   result = doca_argp_start(argc, argv);       calls pci_callback() if it was given
 *   doca_argp_destroy();
 *
 * A callback gets `char *` of a STRING, `int *` of an INT, `bool *` (true) of a BOOLEAN, which
 * takes no value, and the text of the object (`char *`) of a JSON_OBJ, which is in files only. On
 * the command line a value is the next word, or follows '=' (--text=a) or the short name (-ta);
 * flags may be put together (-vh).
 *
 * Every program has
 *   -h, --help            what there is, then exit(0)
 *   -v, --version         the versions, or the program's callback, then exit(0)
 *   -l, --log-level       of the program's lines, 10 (disable) to 70 (trace)
 *   --sdk-log-level       of the library's lines
 *   -j, --json <path>     options by their long names: {"doca_program_flags": {"text": "a"},
 *                         "doca_general_flags": {"log-level": 60}}; the command line wins
 *
 * Commands stand for a set of options of their own: `program [options] command [options]`.
 * Of each level one command may be given; its callback is called before those of its options.
 *
 * There is one parser in a process. In every call but the getters, BAD_STATE: the parser is not
 * initialised, or (of whatever configures it) has started; INVALID_VALUE: a pointer is NULL.
 *
 * Threads: one.
 * Lifetime: parameters and commands belong to the parser, and end with it; texts are copied.
 * Values live until doca_argp_destroy().
 * Follows DOCA Arg Parser 3.0. */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* (value, configuration of the program) */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);
/* (configuration of the program) */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);
/* argv[0], and DPDK's words. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);
/* (configuration of the program), once all is read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);
/* Where the parser's own words go. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);

enum doca_argp_type {
  DOCA_ARGP_TYPE_UNKNOWN = 0,
  DOCA_ARGP_TYPE_STRING,
  DOCA_ARGP_TYPE_INT,
  DOCA_ARGP_TYPE_BOOLEAN,
  DOCA_ARGP_TYPE_JSON_OBJ
};

struct doca_argp_param;
struct doca_argp_cmd;

/* Prints what -h prints. */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/* BAD_STATE: initialised already. NO_MEMORY. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/* INVALID_VALUE: it has no name, no type, no callback, or a name that is taken.
 * INITIALIZATION: it is registered already. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);
/* INVALID_VALUE: it has no name, or one that is taken. INITIALIZATION: as above. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);
/* Called for -v in place of printing versions, with (NULL, configuration); then the program
 * exits, unless an error is answered. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);
/* ALREADY_EXIST: there is one. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);
/* The parser says nothing. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/* Reads the command line and the JSON file, checks that nothing mandatory is missing, and calls
 * the callbacks: those of the file first, then in the order of the command line. What is wrong
 * is said in one line, with a hint to -h.
 * INVALID_VALUE: an option is unknown, incomplete, given twice or missing, or `argv` has fewer than
 * `argc` words. IO_FAILED: the JSON file cannot be read or is wrong. NOT_SUPPORTED: DPDK flags
 * without DPDK. Others: what a callback answered. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);
/* Ends the parser and everything that was registered. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/* The program's own words then follow "--", and the callback gets those before it. */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/* A parameter: optional, given at most once, on the command line or in a file, of no command
 * but the one it is registered with. Once it is registered its names, type and callback stay, as
 * does the name of a command; once the parser has started all of it. To set them then is without
 * effect but a line in the log. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);
/* "p" of -p. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);
/* What help shows for the value, "<PCI>". */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);
/* Not in files. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);
/* May be given many times; the callback is called for each. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);
/* May only be given alone; nothing mandatory is missed then. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);
/* Known to all commands below, too. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);
/* Not shown by help. */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);
/* Of a parameter that is not registered. BAD_STATE: it is. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/* A command. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);
/* As doca_argp_register_param() and doca_argp_register_cmd(), of this command. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);
/* Of a command that is not registered; what is registered in it stays the parser's. BAD_STATE:
 * it is registered. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/* The levels given by -l and --sdk-log-level, else the current ones; at any time. */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif
