/*
 * reference - the page docs/policy.md, made from schema.def and findings.def.
 */
#include "engine/policy/policy.h"

#include "base/buf.h"
#include "engine/policy/report.h"
#include "engine/policy/schema.h"

/* clang-format off */
static const char intro[] =
"# The policy file\n"
"\n"
"<!-- Made from src/engine/policy/schema.def and reference.c; a test compares it.\n"
"     To make it anew: BUILD/tests/unit/policy/unit-policy-schema --write . -->\n"
"\n"
"A policy says what a program may read, change, execute and connect to. It is one\n"
"YAML document:\n"
"\n"
"```yaml\n"
"schemaVersion: 2\n"
"kind: Policy\n"
"metadata: {name: default, description: optional}\n"
"spec:\n"
"  denyRead:   [\"**/*.env\", \"secrets/**\"]        # never readable, whatever a profile says\n"
"  denyModify: [\".git/hooks/**\"]\n"
"  denyExec:   []\n"
"  fsProfiles:\n"
"    implementer:\n"
"      read:   [\"./**\"]\n"
"      modify: [\"src/**\", \"docs/**\"]\n"
"      exec:   [\"**\"]\n"
"      host:   {read: [\"~/.cargo\"], modify: [\"/var/cache/x\"]}\n"
"      network: none\n"
"      limits: {wall: 10m, memory: 2G, processes: 200, open_files: 1024, output: 1M}\n"
"  protect: [\"~/.config/mytool/token\"]\n"
"  env: {pass: [PATH, HOME, LANG, TERM, \"LC_*\"], set: {CI: \"1\"}, drop: [\"*_TOKEN\"]}\n"
"```\n"
"\n"
"`cordon policy init` writes one to start from, `cordon policy validate FILE` lists\n"
"everything that is wrong with one, `cordon check` asks it, and `cordon policy schema`\n"
"prints the JSON Schema, which editors use for completion:\n"
"\n"
"```yaml\n"
"# yaml-language-server: $schema=/usr/share/cordon/schema/cordon-policy.schema.json\n"
"```\n"
"\n"
"A document that uses only the keys marked `v2` is a bare version 2 document as other\n"
"programs write it; it loads unchanged and means the same. The other keys are additions.\n"
"\n"
"## Which files\n"
"\n"
"| Layer | File |\n"
"|---|---|\n"
"| host | `/etc/cordon/policy.yaml` |\n"
"| user | `$XDG_CONFIG_HOME/cordon/policy.yaml` (`~/.config` by default) |\n"
"| project | `WORKSPACE/.cordon/policy.yaml` |\n"
"| policy | the files of `--policy`, in order; then user and project are not read |\n"
"\n"
"Every layer can only take away: a thing is allowed when all of them allow it. Above all\n"
"stands the floor (credentials, system directories, cordon's own files), which no policy\n"
"lifts. A project's own policy, which the program inside can write, also only narrows until\n"
"`cordon trust` has recorded its bytes; then its profiles replace those of the user's policy\n"
"by name, and the denies of both hold.\n"
"\n";

static const char rules_text[] =
"## Rules\n"
"\n"
"A rule is a path below the workspace, with wildcards. Rules are tried in order and the\n"
"**last one that matches decides**; a rule that begins with `!` denies. What no rule\n"
"matches is denied. The global denies come after all rules of the profile, so nothing in\n"
"a profile can lift them.\n"
"\n"
"| Written | Matches |\n"
"|---|---|\n"
"| `src/main.c` | exactly this path |\n"
"| `*` | any run of characters within one name |\n"
"| `?` | one character of a name |\n"
"| `**` | any run of characters, `/` included |\n"
"| `**/x` | `x` in any directory, also at the top |\n"
"| `src/**` | `src` itself and everything below it |\n"
"| `.` | the workspace itself |\n"
"| `!docs/drafts/**` | denies what `docs/drafts/**` matches |\n"
"\n"
"Everything else is literal: there are no `[classes]`, no `{braces}`, no escapes. A rule is\n"
"anchored at both ends. Before matching it is trimmed, `\\` becomes `/`, and `./`, doubled\n"
"and trailing slashes go. A rule cannot leave the workspace: absolute paths, `~` and `..`\n"
"are errors; paths outside go into `host` and `protect`.\n"
"\n"
"**Quote rules.** In YAML a word that begins with `*`, `!`, `&`, `[` or `{` means something\n"
"else; `read: [**]` is a syntax error and `- !docs` is a tag. Both are found, and the hint\n"
"says so, but with quotation marks there is nothing to find.\n"
"\n"
"A positive `modify` rule must be covered by a positive `read` rule of the same profile:\n"
"by an equal rule, by `**`, or by `P/**` above it. A positive rule equal to a global deny is\n"
"an error, because it could never hold.\n"
"\n"
"## Endpoints\n"
"\n"
"An endpoint of `network` is `HOST` or `HOST:PORT`; `!` in front denies, and the last match\n"
"decides. HOST is a name, an IPv4 address, or an IPv6 address in brackets (quote it:\n"
"`\"[::1]:443\"`); without a port, or with `*`, every port is meant. `*` may stand for the\n"
"first label: `*.example.org` matches every name below `example.org`, not `example.org`\n"
"itself, and `*:443` every host. Names beyond ASCII are written as `xn--...`.\n"
"\n"
"Names are compared in lower case and without a final dot, IPv6 addresses in their shortest\n"
"form, an IPv4 address inside IPv6 as IPv4. What only some programs take for an address\n"
"(`127.1`, `0x7f.1`, `010.0.0.1`) is refused.\n"
"\n";

static const char yaml_text[] =
"## What is not accepted\n"
"\n"
"A boundary must not be read in two ways. So a policy is one document in UTF-8 of at most\n"
"1 MiB and 32 levels; anchors, aliases, tags, merge keys (`<<`), keys that are not words, a\n"
"key twice, control characters, line ends that editors do not show, and characters that\n"
"change the direction of text are errors (as escapes, `\"\\u202E\"`, they are fine). `yes`,\n"
"`no`, `on` and `off` are text; booleans are `true` and `false`. An empty list is written\n"
"`[]`: a key with nothing behind it is an error, not a guess.\n"
"\n"
"Unknown keys are errors. All errors are told at once, in the order of the file:\n"
"\n"
"```\n"
"policy.yaml:9:7: error: unknown key 'write' (did you mean 'modify'?)\n"
"  hint: keys of a profile: read modify exec host network sockets limits\n"
"```\n"
"\n"
"## Errors\n"
"\n"
"The identifiers do not change from one version to the next.\n"
"\n"
"| Id | Meaning |\n"
"|---|---|\n";
/* clang-format on */

static void
put_object(struct cdn_buf *out, enum cdn_object object)
{
	const struct cdn_object_info *info = &cdn_objects[object];
	const struct cdn_key *key = NULL;

	if (object == CDN_OBJECT_DOCUMENT)
		cdn_buf_puts(out, "### The document\n");
	else
		cdn_buf_printf(out, "### `%s`\n", info->where);
	cdn_buf_printf(out, "\n%s\n\n", info->text);
	cdn_buf_puts(out,
	    "| Key | Value | Without it | Since | Meaning |\n"
	    "|---|---|---|---|---|\n");
	while ((key = cdn_schema_next(object, key)) != NULL)
		cdn_buf_printf(out, "| `%s` | %s | %s | %s | %s |\n", key->name,
		    cdn_types[key->type].name,
		    key->absent == NULL ? "*required*" : key->absent,
		    key->since, key->text);
	cdn_buf_putc(out, '\n');
}

static void
put_types(struct cdn_buf *out)
{
	cdn_buf_puts(out, "## Values\n\n");
	for (size_t i = 0; i < CDN_TYPE_MAX; i++)
		if (cdn_types[i].text != NULL)
			cdn_buf_printf(out, "- **%s**: %s\n", cdn_types[i].name,
			    cdn_types[i].text);
	cdn_buf_putc(out, '\n');
}

int
cdn_policy_reference(struct cdn_buf *out, struct cordon_error *err)
{
	cdn_buf_puts(out, intro);
	cdn_buf_puts(out, rules_text);
	cdn_buf_puts(out, "## Keys\n\n");
	for (enum cdn_object i = 0; i < CDN_OBJECT_MAX; i++)
		put_object(out, i);
	put_types(out);
	cdn_buf_puts(out, yaml_text);
	for (enum cdn_finding_kind i = 0; i < CDN_FINDING_MAX; i++)
		cdn_buf_printf(out, "| %s | %s |\n", cdn_finding_id(i),
		    cdn_finding_text(i));
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
