#include "base/form.h"

#include <string.h>

#define NOTHING UINT32_MAX /* the length of a string that is NULL */

static void
put(struct cdn_form *form, uint32_t n)
{
	cdn_buf_add(form->out, &n, sizeof(n));
	form->bad |= cdn_buf_failed(form->out);
}

static uint32_t
get(struct cdn_form *form)
{
	uint32_t n = 0;

	if (form->bad || form->in.n < sizeof(n)) {
		form->bad = true;
		return 0;
	}
	memcpy(&n, form->in.p, sizeof(n));
	form->in = cdn_str_from(form->in, sizeof(n));
	return n;
}

void
cdn_form_number(struct cdn_form *form, unsigned *n, unsigned max)
{
	if (!form->reading) {
		put(form, *n);
		return;
	}
	*n = get(form);
	if (*n > max) {
		form->bad = true;
		*n = 0;
	}
}

void
cdn_form_bool(struct cdn_form *form, bool *value)
{
	unsigned n = *value;

	cdn_form_number(form, &n, 1);
	*value = n != 0;
}

/* The next n bytes, as a string of our own. */
static const char *
take(struct cdn_form *form, uint32_t n)
{
	const char *copy;

	if (form->bad || n > form->in.n) {
		form->bad = true;
		return NULL;
	}
	copy = cdn_arena_dup(form->arena, form->in.p, n);
	form->in = cdn_str_from(form->in, n);
	form->bad |= copy == NULL;
	return copy;
}

void
cdn_form_bytes(struct cdn_form *form, cdn_str *bytes)
{
	uint32_t n;

	if (!form->reading) {
		form->bad |= bytes->n >= NOTHING;
		put(form, (uint32_t)bytes->n);
		cdn_buf_str(form->out, *bytes);
		form->bad |= cdn_buf_failed(form->out);
		return;
	}
	n = get(form);
	bytes->p = take(form, n);
	bytes->n = bytes->p == NULL ? 0 : n;
	if (bytes->p == NULL)
		*bytes = CDN_STR("");
}

void
cdn_form_string(struct cdn_form *form, const char **string)
{
	cdn_str bytes;
	uint32_t n;

	if (!form->reading) {
		bytes = cdn_str_of(*string == NULL ? "" : *string);
		if (*string == NULL)
			put(form, NOTHING);
		else
			cdn_form_bytes(form, &bytes);
		return;
	}
	n = get(form);
	*string = n == NOTHING ? NULL : take(form, n);
	if (n != NOTHING && *string != NULL && strlen(*string) != n)
		form->bad = true;
}

void *
cdn_form_array(struct cdn_form *form, size_t *n, size_t max, size_t size)
{
	void *v;

	if (!form->reading) {
		form->bad |= *n > max;
		put(form, (uint32_t)*n);
		return NULL;
	}
	*n = get(form);
	if (form->bad || *n > max || *n > form->in.n / sizeof(uint32_t)) {
		form->bad = true;
		*n = 0;
		return NULL;
	}
	v = cdn_arena_array(form->arena, *n + 1, size);
	if (v == NULL) {
		form->bad = true;
		*n = 0;
	}
	return v;
}

const char **
cdn_form_strings(struct cdn_form *form, const char *const *v, size_t *n,
    size_t max)
{
	const char **read = cdn_form_array(form, n, max, sizeof(*read));

	for (size_t i = 0; i < *n && !form->bad; i++) {
		const char *one = form->reading ? NULL : v[i];

		cdn_form_string(form, &one);
		form->bad |= one == NULL;
		if (read != NULL)
			read[i] = one;
	}
	return form->bad ? NULL : read;
}

bool
cdn_form_is_whole(const struct cdn_form *form)
{
	return !form->bad && (!form->reading || form->in.n == 0);
}
