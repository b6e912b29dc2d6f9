/*
 * starter - the policy that `cordon policy init` writes.
 *
 * The denyModify list is the one of the default preset, written out so that
 * people can see and change it; a test compares the two.
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
    "  # Never modifiable: what cannot be read, and what this machine would\n"
    "  # execute or obey later.\n"
    "  denyModify:\n"
    "    - \"**/.env\"\n"
    "    - \"**/.env.*\"\n"
    "    - \"**/*.pem\"\n"
    "    - \"**/secrets/**\"\n"
    "    - \"**/.git/hooks/**\"\n"
    "    - \"**/.git/config\"\n"
    "    - \"**/.git/**/config.worktree\"\n"
    "    - \"**/.git/**/commondir\"\n"
    "    - \"**/.git/modules/**/config\"\n"
    "    - \"**/.git/modules/**/hooks/**\"\n"
    "    - \"**/.git/worktrees/*/config\"\n"
    "    - \"**/.git/worktrees/*/hooks/**\"\n"
    "    - \"**/.git/worktrees/*/gitdir\"\n"
    "    - \"**/.git\"\n"
    "    - \".envrc\"\n"
    "    - \".vscode/**\"\n"
    "    - \".idea/**\"\n"
    "    - \".devcontainer/**\"\n"
    "    - \".mcp.json\"\n"
    "    - \".claude/**\"\n"
    "    - \".codex/**\"\n"
    "    - \".gemini/**\"\n"
    "    - \".cursor/**\"\n"
    "    - \".cordon/**\"\n"
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
