/*
 * starter - the policy that `cordon policy init` writes.
 *
 * What this machine would later execute is not listed: the defaults protect it
 * whatever a policy says.
 */
#include "api/api.h"

static const char starter[] =
    "# A boundary for coding agents in this directory.\n"
    "# `cordon policy validate FILE` checks it, `cordon check PATH` asks it,\n"
    "# `cordon trust` lets it widen what your own policy says.\n"
    "# Rules: * one segment, ** any depth, ? one character, ! takes away;\n"
    "# the last rule that matches decides.\n"
    "schemaVersion: 2\n"
    "kind: Policy\n"
    "metadata:\n"
    "  name: project\n"
    "  description: what agents may do here\n"
    "spec:\n"
    "  # Never readable, whatever a profile says.\n"
    "  denyRead:\n"
    "    - \"**/.env\"\n"
    "    - \"**/.env.*\"\n"
    "    - \"**/*.pem\"\n"
    "    - \"**/secrets/**\"\n"
    "  # Never modifiable: what cannot be read.  What this machine would later\n"
    "  # execute (git hooks, .vscode, .claude ...) is protected without a rule;\n"
    "  # `unprotect: [\".vscode/**\"]` here would open it.\n"
    "  denyModify:\n"
    "    - \"**/.env\"\n"
    "    - \"**/.env.*\"\n"
    "    - \"**/*.pem\"\n"
    "    - \"**/secrets/**\"\n"
    "  fsProfiles:\n"
    "    # Reads and changes everything else.\n"
    "    implementer:\n"
    "      read: [\"./**\"]\n"
    "      modify: [\"./**\"]\n"
    "      network: none\n"
    "    # Reads only.\n"
    "    reviewer:\n"
    "      read: [\"./**\"]\n"
    "      modify: []\n"
    "      network: none\n";

const char *
cordon_policy_starter(void)
{
	return starter;
}
