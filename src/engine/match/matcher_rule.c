#include "engine/match/matcher_impl.h"

bool
cdn_matcher_rule(const struct cdn_matcher *matcher, size_t i, cdn_str path)
{
	return i < matcher->rules &&
	    cdn_pattern_match(&matcher->patterns[i], path);
}
