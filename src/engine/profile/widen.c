#include "engine/profile/widen.h"

#include "engine/match/pattern.h"

/* Is `pattern` inside some rule of that polarity? */
static bool
inside(const struct cdn_rules *rules, bool negated, cdn_str pattern)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated == negated &&
		    cdn_rule_covers(rules->v[i].pattern, pattern))
			return true;
	return false;
}

static bool
same_rules(const struct cdn_rules *a, const struct cdn_rules *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].negated != b->v[i].negated ||
		    !cdn_str_eq(a->v[i].pattern, b->v[i].pattern))
			return false;
	return true;
}

/*
 * Where a positive rule follows a negated one, order decides and syntax alone
 * cannot tell: pessimistic unless nothing changed.
 */
static bool
positives_first(const struct cdn_rules *rules)
{
	bool negated = false;

	for (size_t i = 0; i < rules->n; i++) {
		if (negated && !rules->v[i].negated)
			return false;
		negated |= rules->v[i].negated;
	}
	return true;
}

static bool
rules_widen(const struct cdn_rules *old, const struct cdn_rules *new)
{
	if (same_rules(old, new))
		return false;
	if (!positives_first(old) || !positives_first(new))
		return true;
	for (size_t i = 0; i < new->n; i++)
		if (!new->v[i].negated &&
		    !inside(old, false, new->v[i].pattern))
			return true;
	for (size_t i = 0; i < old->n; i++)
		if (old->v[i].negated && !inside(new, true, old->v[i].pattern))
			return true;
	return false;
}

static bool
has_root(const struct cdn_roots *roots, cdn_str wanted)
{
	for (size_t i = 0; i < roots->n; i++)
		if (cdn_str_eq(roots->v[i].text, wanted))
			return true;
	return false;
}

static bool
roots_widen(const struct cdn_roots *old, const struct cdn_roots *new)
{
	for (size_t i = 0; i < new->n; i++)
		if (!has_root(old, new->v[i].text))
			return true;
	return false;
}

static int
network_rank(enum cdn_network_mode mode)
{
	static const int ranks[] = {
		[CDN_NETWORK_UNSET] = 0,
		[CDN_NETWORK_NONE] = 0,
		[CDN_NETWORK_LOOPBACK] = 1,
		[CDN_NETWORK_LIST] = 2,
		[CDN_NETWORK_FULL] = 3,
	};

	return ranks[mode];
}

static bool
network_widens(const struct cdn_network *old, const struct cdn_network *new)
{
	if (old->mode == CDN_NETWORK_LIST && new->mode == CDN_NETWORK_LIST)
		return rules_widen(&old->rules, &new->rules);
	/* A list need not hold loopback, so only "none" is below it. */
	if (old->mode == CDN_NETWORK_LIST)
		return network_rank(new->mode) != 0;
	return network_rank(new->mode) > network_rank(old->mode);
}

/* exec that was limited and is no longer, or follows a read that grew. */
static bool
exec_widens(const struct cdn_profile_def *old,
    const struct cdn_profile_def *new)
{
	const struct cdn_rules *before = old->has_exec ?
	    &old->rules[CORDON_EXEC] : &old->rules[CORDON_READ];
	const struct cdn_rules *after = new->has_exec ?
	    &new->rules[CORDON_EXEC] : &new->rules[CORDON_READ];

	return rules_widen(before, after);
}

/* A limit that is gone or larger; 0 means none. */
static bool
limit_widens(uint64_t old, uint64_t new)
{
	return old != 0 && (new == 0 || new > old);
}

static bool
limits_widen(const struct cdn_limits *old, const struct cdn_limits *new)
{
	return limit_widens(old->wall_ms, new->wall_ms) ||
	    limit_widens(old->cpu_ms, new->cpu_ms) ||
	    limit_widens(old->memory_bytes, new->memory_bytes) ||
	    limit_widens(old->processes, new->processes) ||
	    limit_widens(old->open_files, new->open_files) ||
	    limit_widens(old->output_bytes, new->output_bytes);
}

bool
cdn_profile_widens(const struct cdn_profile_def *old,
    const struct cdn_profile_def *new)
{
	return rules_widen(&old->rules[CORDON_READ],
		   &new->rules[CORDON_READ]) ||
	    rules_widen(&old->rules[CORDON_MODIFY],
		&new->rules[CORDON_MODIFY]) ||
	    exec_widens(old, new) ||
	    roots_widen(&old->host_read, &new->host_read) ||
	    roots_widen(&old->host_modify, &new->host_modify) ||
	    roots_widen(&old->sockets, &new->sockets) ||
	    network_widens(&old->network, &new->network) ||
	    limits_widen(&old->limits, &new->limits);
}
