/*
 * call - one trapped call, from the notification to the answer.
 *
 * A handler fills the answer; it must not keep anything of the call.  All
 * strings were copied once from the caller's memory: what they say now is what
 * was judged.  Handlers of one broker run at the same time on several threads.
 */
#ifndef CDN_BROKER_CALL_H
#define CDN_BROKER_CALL_H

#include "enforce/broker/broker.h"

struct cdn_call {
	struct cdn_broker *broker;
	const struct cdn_notif *notif;
	const char *name; /* "openat" */
	pid_t tid;
	pid_t tgid; /* found when first needed; 0 = not yet */
};

enum cdn_answer_kind {
	CDN_ANSWER_ERROR,    /* -error */
	CDN_ANSWER_VALUE,    /* the call was carried out by us */
	CDN_ANSWER_FD,	     /* a descriptor of ours for it; we close ours */
	CDN_ANSWER_CONTINUE, /* see broker.h */
};

struct cdn_call_answer {
	enum cdn_answer_kind kind;
	int error;
	int64_t value;
	int fd;
	bool cloexec;
};

typedef void cdn_handler_fn(struct cdn_call *call,
    struct cdn_call_answer *answer);

/* dispatch.c: by system call number here; NULL: a trap nobody foresaw. */
cdn_handler_fn *cdn_handler_find(int nr, const char **ret_name);

/* ----- Memory of the caller (memory.c) -------------------------------------- */

/* Exactly size bytes; 0 or -errno (-EFAULT, -EPERM when it cannot be read). */
CDN_MUST_USE int cdn_call_copy(const struct cdn_call *call, uint64_t from,
    void *to, size_t size);
/* A path; -ENAMETOOLONG beyond CDN_PATH_MAX.  The length. */
CDN_MUST_USE int cdn_call_path(const struct cdn_call *call, uint64_t from,
    char to[CDN_PATH_MAX + 1]);
/* Into the caller's memory, which he may change meanwhile: results only. */
CDN_MUST_USE int cdn_call_put(const struct cdn_call *call, uint64_t to,
    const void *from, size_t size);

/* ----- Objects (object.c) ----------------------------------------------------- */

/* Ours, opened O_PATH; judged and used through the descriptor. */
struct cdn_object {
	int fd;	      /* -1: the last component is missing */
	int parent;   /* O_PATH of the directory that holds, or would hold, it */
	char name[256]; /* in parent; "" for a root or what came by descriptor */
	char path[CDN_PATH_MAX + 1]; /* real */
	mode_t mode;  /* type and permissions; 0 when missing */
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
};

enum cdn_object_how { /* bits */
	CDN_OBJECT_NOFOLLOW = 1, /* a link at the end is the object */
	CDN_OBJECT_MISSING = 2,	 /* the last component may be missing */
	CDN_OBJECT_EMPTY = 4,	 /* AT_EMPTY_PATH */
};

/*
 * As the caller would see it: his cwd or directory descriptor, /proc/self and
 * its like are his, magic links of his own /proc are taken by hand.  Whether
 * he still waits is asked after whatever of /proc/TID was opened.  0 or
 * -errno, the errno the real call would have given.
 */
CDN_MUST_USE int cdn_object_find(struct cdn_call *call, int dirfd,
    const char *path, unsigned how, struct cdn_object *ret);
/* What a descriptor of the caller refers to. */
CDN_MUST_USE int cdn_object_of_fd(struct cdn_call *call, int fd,
    struct cdn_object *ret);
void cdn_object_done(struct cdn_object *object);

/* ----- Judging (judge.c) -------------------------------------------------------- */

/* 0, or the errno to answer with after the denial was told. */
CDN_MUST_USE int cdn_call_judge(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object);
/* The region it lies in is held by Landlock for every operation. */
bool cdn_call_is_native(const struct cdn_call *call,
    const struct cdn_object *object);

/* The caller's umask (17 us: only when something is made). */
CDN_MUST_USE int cdn_call_umask(struct cdn_call *call, mode_t *ret);

#endif
