/*
 * otel - an event as an OpenTelemetry log record.
 *
 * One object per event, in the JSON form of OTLP that collectors read from
 * files line by line.  Fields that have a name in OpenTelemetry's conventions
 * get it; all others are cordon.NAME.
 */
#ifndef CDN_REPORT_OTEL_H
#define CDN_REPORT_OTEL_H

#include "enforce/audit/log.h"

CDN_MUST_USE int cdn_otel_format(const struct cdn_entry *entry,
    struct cdn_arena *arena, struct cdn_buf *out, struct cordon_error *err);

#endif
