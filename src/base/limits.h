/*
 * limits - every input has a named maximum, and this is where they live.
 *
 * Past a limit the input is refused with an error that names the limit; it is
 * never cut off silently.
 */
#ifndef CDN_BASE_LIMITS_H
#define CDN_BASE_LIMITS_H

#define CDN_DOCUMENT_MAX     (1024UL * 1024UL) /* bytes of one YAML file */
#define CDN_DEPTH_MAX	     32	    /* levels of nesting in YAML or JSON */
#define CDN_DIAGS_MAX	     100    /* findings kept for one document */
#define CDN_RULE_MAX	     4096   /* bytes of one rule */
#define CDN_RULES_MAX	     65536  /* rules in one list, denies included */
#define CDN_EXCEPTIONS_MAX   256    /* exceptions of denies in one policy */
#define CDN_PATTERN_MAX	     8193   /* bytes of a root, a slash and a rule */
#define CDN_JOINS_MAX	     16	    /* ** inside one segment, as in a**b */
#define CDN_NODES_MAX	     (1UL << 20) /* of one matcher: about a segment */
#define CDN_EDGES_MAX	     (1UL << 21) /* of one matcher */
#define CDN_PROFILES_MAX     1024   /* profiles in one policy */
#define CDN_PATH_MAX	     4096   /* bytes of a path, terminating NUL out */
#define CDN_NAME_MAX	     128    /* bytes of a policy, worker, profile name */
#define CDN_LINKS_MAX	     40	    /* symbolic links followed, as the kernel */
#define CDN_LAYERS_MAX	     16	    /* documents in one session */
#define CDN_ALLOW_MAX	     64	    /* names of the defaults for --allow */
#define CDN_WORKERS_MAX	     8	    /* a worker that calls a worker that ... */
#define CDN_ROOTS_MAX	     1024   /* declared roots in one session */
#define CDN_ARENA_MAX	     (512UL * 1024UL * 1024UL) /* bytes of one arena */
#define CDN_JSON_MAX	     (1024UL * 1024UL) /* bytes of one JSON text */
#define CDN_JSON_NODES_MAX   (1024UL * 1024UL) /* values in one JSON text */
#define CDN_JSON_LEVELS_MAX  64	    /* levels open in one JSON writer */
#define CDN_QUERY_MAX	     (128UL * 1024UL) /* bytes of one line of queries */
#define CDN_TRUST_MAX	     4096   /* entries of trust.json */
#define CDN_STORE_MAX	     4096   /* policies in one directory */
#define CDN_NAMES_MAX	     1024   /* names in one list: env, sealed, mcp */
#define CDN_ENV_VALUE_MAX    65536  /* bytes of the value of one variable */
#define CDN_ENV_MAX	     4096   /* variables of one run, those twice too */
#define CDN_AGENT_FILE_MAX   (16UL * 1024UL * 1024UL) /* ~/.claude.json */
#define CDN_AGENT_LINKS_MAX  4096UL /* names that an agent obeys */
#define CDN_DOTFILE_MAX	     (256UL * 1024UL) /* bytes of a ~/.gitconfig */
#define CDN_HOME_CLEAN_MAX   16	    /* leftover tmp directories, per start */
#define CDN_HOME_CLEAN_LOOKS 256    /* locks tried for that */
#define CDN_HOME_CLEAN_ENTRIES 16384 /* names removed for that */
#define CDN_HOME_WIPE_ENTRIES (1UL << 24) /* names removed at the end */
#define CDN_DURATION_MAX     (INT64_MAX / 1000000) /* ms; fits as ns, too */
#define CDN_SIZE_MAX	     INT64_MAX /* bytes; what rlimits and files take */
#define CDN_COUNT_MAX	     INT32_MAX /* processes, open files */
#define CDN_RUN_OUTPUT	     (1024UL * 1024UL) /* bytes of output, unless told */
#define CDN_RUN_QUOTA_SHARE  2L /* of the user's inotify quotas a run has 1/2 */
#define CDN_RUN_OUTPUT_MAX   (1024UL * 1024UL * 1024UL) /* at most */
#define CDN_AUDIT_LINE_MAX   65536  /* bytes of one event, newline included */
#define CDN_AUDIT_FILE_MAX   (32L * 1024L * 1024L) /* then it is put away */
#define CDN_AUDIT_PARTS_MAX  4096   /* files put away, of one log */
#define CDN_AUDIT_FIELDS_MAX 64	    /* fields of one event */
#define CDN_AUDIT_AHEAD_MAX  1024   /* lines that the head may be behind */
#define CDN_REPEATS_MAX	     256    /* denials of one run that are recognised */
#define CDN_DENIALS_MAX	     8192   /* denials of one run told one by one */
#define CDN_DENIALS_PATH     256    /* bytes of a path; more count as more */
#define CDN_REPEATS_RULES    64	    /* rules, and one for all others, told then */
#define CDN_JOURNAL_MAX	     8192   /* allowed accesses told of one run */
#define CDN_JOURNAL_READS    4096   /* of them */
#define CDN_OWN_ARGV_MAX     1024   /* of a process that confines itself */
#define CDN_AUDIT_WAIT_MS    5000   /* for whoever writes the same file */
#define CDN_AUDIT_CHAIN_MAX  32	    /* processes above the one that asked */
#define CDN_REPORT_RUNS_MAX  65536  /* told of one by one */
#define CDN_REPORT_ROWS_MAX  16384  /* different rules, or paths, counted */
#define CDN_REPORT_MOMENTS_MAX 1000 /* events of a timeline: the last ones */
#define CDN_REPORT_GRANTS_MAX 1000  /* that a report lists */
#define CDN_REPORT_SHOWN_MAX 200    /* rows of one table of a report */
#define CDN_REPORT_PLACES_MAX 32    /* directories looked into for it */
#define CDN_REPORT_HANDED_MAX 10000 /* files it finds to be told of */
#define CDN_REPORT_DEPTH_MAX 128    /* directories in each other */
#define CDN_REPORT_LOOKS_MAX 200000 /* files looked at for what was written */
#define CDN_BWRAP_WAIT_MS    10000  /* for bwrap to show that it works */
#define CDN_BWRAP_START_MS   60000  /* and to make that of a run */
#define CDN_BWRAP_MOUNTS_MAX 2048   /* mounts of one sandbox of it */
#define CDN_BWRAP_WORDS_MAX  8900   /* of its command; it takes 9000 */
#define CDN_BWRAP_LATER_MAX  8	    /* rules named that masks do not hold */
#define CDN_MOUNTS_MAX	     16384  /* mounts of one namespace */
#define CDN_MOUNTINFO_MAX    (8UL * 1024UL * 1024UL) /* bytes they are told in */
#define CDN_KEYS_SCAN_MAX    256    /* entries of a directory of keys, at any depth */
#define CDN_STORE_SCAN_MAX   64	    /* right in one that holds much besides */
#define CDN_PRIVATE_SCAN_MAX 65536  /* entries looked at for files of root alone */
#define CDN_PRIVATE_ENTRIES_MAX 64  /* of them closed one by one, of a directory */
#define CDN_LINK_SCAN_MAX    65536  /* entries looked at for other names */
#define CDN_OTHER_NAMES_MAX  (1UL << 21) /* the same, once in a run */
#define CDN_INODE_SCAN_MAX   65536  /* entries looked at for a hard link */
#define CDN_REPOSITORIES_MAX 64	    /* not called .git, with rules of their own */
#define CDN_REPOSITORY_LOOKS_MAX 256 /* directories looked into before a start */
#define CDN_REPOSITORY_ENTRIES_MAX 16384 /* names in these */
#define CDN_SURVEY_LOOKS_MAX (1UL << 22) /* directories, beside what runs */
#define CDN_SURVEY_PENDING_MAX (256UL * 1024UL * 1024UL) /* bytes of their names */
#define CDN_LEFTOVER_LOOKS_MAX 65536 /* directories, for new repositories */
#define CDN_LEFTOVER_TOLD_MAX 8	    /* repositories named at the end of a run */
#define CDN_LEFTOVER_RECORDED_MAX 256 /* the same in its record */
#define CDN_GIT_CONFIGS_MAX 65536   /* files that are read for core.hooksPath */
#define CDN_BWRAP_FILES_MIN 16	    /* open files that bwrap needs, with room */
#define CDN_HOOK_LOOKS_MAX 16384	    /* entries of protected directories, for symlinks */
#define CDN_HOME_LOOKS_MAX 16384	    /* entries of start files that are looked at */
#define CDN_GIT_SETTINGS_MAX 1000UL /* in GIT_CONFIG_COUNT */
#define CDN_GIT_INCLUDE_DEPTH_MAX 10 /* as git has it */
#define CDN_PLAN_REGIONS_MAX 4096   /* regions of one plan */
#define CDN_PLAN_ENTRIES_MAX 65536  /* directory entries looked at for it */
#define CDN_PLAN_DEPTH_MAX   64	    /* directories in each other, below a root */
#define CDN_PLAN_REPORT_MAX  32	    /* rules named in a run's record */
#define CDN_BROKER_THREADS   64	    /* that answer calls, of one run */
#define CDN_BROKER_ANSWERING 2	    /* of them, who are as good as idle */
#define CDN_BROKER_SLOW	     48	    /* of them, those that wait for others */
#define CDN_BROKER_GRACE_MS  500    /* for them to end, at its close */
#define CDN_BROKER_TERMINALS 256    /* made by one run, at a time */
#define CDN_BROKER_SOCKETS   1024   /* bound by a run, known as its own */
#define CDN_BROKER_AGAIN     40	    /* times a call is begun anew */
#define CDN_BROKER_MESSAGE_MAX (1024UL * 1024UL) /* bytes of one datagram */
#define CDN_NESTED_MAX	     8	    /* runs inside of a run, at a time */
#define CDN_NESTED_PATIENCE_MS 10000 /* for there to be fewer */
#define CDN_NESTED_DEPTH     4	    /* runs in each other, the first too */
#define CDN_NESTED_BYTES     (8UL * 1024UL * 1024UL) /* handed over for one */
#define CDN_NESTED_NAMES     4096   /* of files that are looked for, in it */
#define CDN_NESTED_TEXT	     4096   /* bytes of the answer */
#define CDN_NESTED_WORDS     65536  /* arguments of it */
#define CDN_RPC_LINE_MAX     (16UL * 1024UL * 1024UL) /* bytes of one message */
#define CDN_RPC_DEPTH_MAX    64	    /* levels of nesting in one message */
#define CDN_RPC_TOOLS_MAX    4096   /* tools of one MCP server */
#define CDN_RPC_PENDING_MAX  65536  /* requests in flight, each way */
#define CDN_RPC_SCHEMAS_MAX  64	    /* schemas that apply to one value */
#define CDN_RPC_INNER_MAX    8	    /* levels of JSON in a string of JSON */
#define CDN_RPC_DECODE_MAX   4	    /* times that %XX is taken for one byte */
#define CDN_GUARD_ASKS_MAX   64	    /* calls that wait for approval, of one guard */
#define CDN_GUARD_LINGER_US  50UL   /* awake for what comes, before it sleeps */
#define CDN_GUARD_LINGER_PAUSE 256  /* turns at most in which it does not try */
#define CDN_GUARD_GRACE_MS   2000   /* for a server to end, then after SIGTERM */
#define CDN_GUARD_STUCK_MS   3000   /* at the end, with no byte taken */
#define CDN_MCP_CALLS_MAX    1024   /* calls of our tools in flight */
#define CDN_MCP_RUNNING_MAX  32	    /* of them, those that run */
#define CDN_MCP_RESULT_MAX   (2UL * 1024UL * 1024UL) /* bytes of what one gives */
#define CDN_MCP_PAGE	     (256UL * 1024UL) /* bytes of a file read at a time */
#define CDN_MCP_APPROVAL_MS  120000 /* for somebody to approve one */
#define CDN_MCP_APPROVALS_MAX 65536 /* that one server gets and remembers */
#define CDN_WRAP_MAX	     (8UL * 1024UL * 1024UL) /* bytes of an MCP client's file */
#define CDN_WRAP_STRAYS_MAX  64	    /* servers of it at places we do not know */
#define CDN_HOOK_EVENT_MAX   (16UL * 1024UL * 1024UL) /* bytes an agent asks with */
#define CDN_HOOK_WAIT_MS     10000  /* for it to ask, and to be answered */
#define CDN_LINT_TRIES_MAX   (1UL << 20) /* example paths of one lint */
#define CDN_LINT_LOOKS_MAX   65536UL /* names one lint looks at on disk */
#define CDN_SHELL_MAX	     (128UL * 1024UL) /* bytes of one shell command */
#define CDN_SHELL_WORDS_MAX  16384  /* words of it */
#define CDN_SHELL_CLUSTER_MAX 16    /* letters of -xvfNAME that may be options */
#define CDN_SHELL_HERE_MAX   16	    /* here-documents begun in one line */
#define CDN_SHELL_RULES_MAX  1024   /* shell_rules of one worker, programs too */
#define CDN_TOOL_CALL_MAX    (64UL * 1024UL * 1024UL) /* bytes of a call's JSON */
#define CDN_TOOL_NODES_MAX   4096   /* values in it */
#define CDN_TOOL_TEXT_MAX    (16L * 1024L * 1024L) /* bytes read at a time */
#define CDN_TOOL_ROWS_MAX    10000  /* entries or lines of one answer */
#define CDN_TOOL_LOOKS_MAX   200000UL /* entries one walk looks at */
#define CDN_TOOL_NAMES_MAX   (64UL * 1024UL * 1024UL) /* bytes of one directory */
#define CDN_TOOL_DEPTH_MAX   64	    /* directories in each other, of one walk */
#define CDN_TOOL_TIMEOUT_MAX 300000 /* ms of one command */
#define CDN_TOOL_ATTACHMENTS_MAX 1000 /* files for a worker that is called */
#define CDN_TOOL_DENIALS_MAX 100    /* denials of one command that are told */
#define CDN_APPROVALS_MAX    30	    /* questions to a person in a minute */
#define CDN_APPROVAL_PROMPT_MAX 2000 /* bytes a person can be expected to read */
#define CDN_TOOL_RESULT_MAX  (256UL * 1024UL * 1024UL) /* bytes of an answer */
#define CDN_VERIFY_LOOKS_MAX 20000UL /* names looked at for one sample */
#define CDN_VERIFY_SEEN	     16384UL /* paths of one sample */

#endif
