#include "enforce/session/attach.h"

#include <pthread.h>
#include <unistd.h>

struct cdn_attached {
	pthread_mutex_t lock;
	void *thing; /* NULL until it is made */
	pid_t owner; /* the process that made it */
	void (*detach)(void *thing);
};

struct cdn_attached *
cdn_attached_new(void)
{
	struct cdn_attached *attached = calloc(1, sizeof(*attached));

	if (attached != NULL)
		pthread_mutex_init(&attached->lock, NULL);
	return attached;
}

void
cdn_attached_free(struct cdn_attached *attached)
{
	if (attached == NULL)
		return;
	/* A forked child only forgets: its parent still uses the tmp. */
	if (attached->thing != NULL && attached->owner == getpid())
		attached->detach(attached->thing);
	pthread_mutex_destroy(&attached->lock);
	free(attached);
}

int
cdn_session_attach(const struct cordon_session *session, cdn_attach_fn *make,
    void *arg, void (*detach)(void *thing), struct cordon_error *err)
{
	struct cdn_attached *attached = session->attached;
	int code = 0;

	pthread_mutex_lock(&attached->lock);
	if (attached->thing == NULL) {
		code = make(session, arg, &attached->thing, err);
		attached->detach = detach;
		attached->owner = getpid();
	}
	pthread_mutex_unlock(&attached->lock);
	return code;
}

void *
cdn_session_attached(const struct cordon_session *session)
{
	struct cdn_attached *attached = session->attached;
	void *thing;

	pthread_mutex_lock(&attached->lock);
	thing = attached->thing;
	pthread_mutex_unlock(&attached->lock);
	return thing;
}
