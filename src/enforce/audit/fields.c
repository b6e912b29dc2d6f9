/*
 * fields - what events are made of.
 */
#include "enforce/audit/audit.h"

struct cdn_event_field
cdn_field_text(const char *name, const char *value)
{
	return (struct cdn_event_field){ .name = name, .type = value == NULL ?
		CDN_FIELD_NULL : CDN_FIELD_TEXT,
		.text = cdn_str_of(value == NULL ? "" : value) };
}

struct cdn_event_field
cdn_field_str(const char *name, cdn_str value)
{
	return (struct cdn_event_field){ .name = name, .type = CDN_FIELD_TEXT,
		.text = value };
}

struct cdn_event_field
cdn_field_number(const char *name, int64_t value)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_NUMBER, .number = value };
}

struct cdn_event_field
cdn_field_bool(const char *name, bool value)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_BOOL, .boolean = value };
}

struct cdn_event_field
cdn_field_strings(const char *name, const char *const *values)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_STRINGS, .strings = values };
}

struct cdn_event_field
cdn_field_json(const char *name, cdn_str value)
{
	return (struct cdn_event_field){ .name = name, .type = CDN_FIELD_JSON,
		.text = value };
}

static struct cdn_event_field
position(const char *name, unsigned value)
{
	return value == 0 ? cdn_field_text(name, NULL) :
			    cdn_field_number(name, value);
}

void
cdn_fields_verdict(const struct cordon_verdict *verdict, cdn_str path,
    struct cdn_event_field ret[CDN_VERDICT_FIELDS])
{
	ret[0] = cdn_field_text("profile", verdict->profile);
	ret[1] = cdn_field_text("op", cordon_op_name(verdict->operation));
	ret[2] = cdn_field_str("path", path);
	ret[3] = cdn_field_bool("allowed", verdict->allowed);
	ret[4] = cdn_field_text("matched_rule", verdict->matched_rule);
	ret[5] = cdn_field_text("layer", cordon_layer_name(verdict->layer));
	ret[6] = cdn_field_text("rule_text", verdict->rule_text);
	ret[7] = cdn_field_text("source", verdict->source);
	ret[8] = position("line", verdict->line);
	ret[9] = position("column", verdict->column);
}

enum cdn_event_kind
cdn_event_of_verdict(const struct cordon_verdict *verdict, bool is_socket)
{
	if (verdict->allowed)
		return CDN_EVENT_FS_REQUEST;
	if (verdict->operation == CORDON_EXEC)
		return CDN_EVENT_EXEC_DENIED;
	return verdict->operation >= CORDON_CONNECT && !is_socket ?
	    CDN_EVENT_NET_DENIED : CDN_EVENT_FS_DENIED;
}
