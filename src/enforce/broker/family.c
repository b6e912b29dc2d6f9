/*
 * A run inside of another one has a broker of its own, and both work in the
 * same directories.  What holds within one broker because it has a lock must
 * hold between them: else two of their callers, each of them judged rightly,
 * could make something together that neither may.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <stdlib.h>

static struct cdn_family *
new_family(void)
{
	struct cdn_family *family = calloc(1, sizeof(*family));

	if (family == NULL)
		return NULL;
	pthread_mutex_init(&family->telling, NULL);
	pthread_mutex_init(&family->naming, NULL);
	pthread_mutex_init(&family->mutex, NULL);
	return family;
}

int
cdn_family_join(struct cdn_broker *broker)
{
	struct cdn_family *family = broker->spec.outer != NULL ?
	    broker->spec.outer->family : new_family();

	if (family == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&family->mutex);
	family->holders++;
	broker->family = family;
	broker->next = family->first;
	family->first = broker;
	pthread_mutex_unlock(&family->mutex);
	return 0;
}

static void
free_family(struct cdn_family *family)
{
	pthread_mutex_destroy(&family->mutex);
	pthread_mutex_destroy(&family->naming);
	pthread_mutex_destroy(&family->telling);
	free(family);
}

void
cdn_family_leave(struct cdn_broker *broker)
{
	struct cdn_family *family = broker->family;
	bool last;

	if (family == NULL)
		return;
	pthread_mutex_lock(&family->mutex);
	for (struct cdn_broker **at = &family->first; *at != NULL;
	     at = &(*at)->next)
		if (*at == broker) {
			*at = broker->next;
			break;
		}
	last = --family->holders == 0;
	pthread_mutex_unlock(&family->mutex);
	broker->family = NULL;
	if (last)
		free_family(family);
}
