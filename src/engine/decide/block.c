#include "engine/decide/block.h"

const char cdn_block_relative[] = "<relative path>";
const char cdn_block_inode[] = "<hard link to a private file>";
static const char not_blocked[] = "<not blocked>";

/* The libraries' directories have several names once /usr is merged. */
static const char *const system_dirs[] = {
	"/System", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64",
	"/usr/libx32", "/usr/libexec", "/private/etc", "/Library", "/etc",
	"/boot", "/proc", "/sys", "/dev",
};

/* By component: /binaries is not below /bin. */
static bool
is_below(cdn_str path, cdn_str dir)
{
	return dir.n > 0 && cdn_str_starts(path, dir) &&
	    (path.n == dir.n || path.p[dir.n] == '/');
}

static const char *
find_private(const struct cdn_block_places *places, cdn_str real)
{
	const struct {
		cdn_str place;
		const char *name;
	} rows[] = {
		{ places->data, "DATA_DIR/data" },
		{ places->config, "DATA_DIR/config.toml" },
		{ places->extra, "CONFIG_PATH" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		if (is_below(real, rows[i].place))
			return rows[i].name;
	return NULL;
}

static const char *
find_system(cdn_str real)
{
	for (size_t i = 0; i < CDN_LEN(system_dirs); i++)
		if (is_below(real, cdn_str_of(system_dirs[i])))
			return system_dirs[i];
	return NULL;
}

void
cdn_block_verdict(enum cordon_op op, const char *rule,
    struct cordon_verdict *ret)
{
	bool blocked = rule != NULL;

	*ret = (struct cordon_verdict){
		.decision = blocked ? CORDON_DENY : CORDON_ALLOW,
		.allowed = !blocked,
		.as = CORDON_AS_BLOCK,
		.operation = op,
		.layer = CORDON_LAYER_BLOCK,
		.matched_rule = blocked ? rule : not_blocked,
		.source = "<block list>",
	};
}

void
cdn_block_judge(const struct cdn_block_places *places, enum cordon_op op,
    cdn_str real, struct cordon_verdict *ret)
{
	const char *rule = find_private(places, real);

	if (rule == NULL && op == CORDON_MODIFY)
		rule = find_system(real);
	cdn_block_verdict(op, rule, ret);
}
