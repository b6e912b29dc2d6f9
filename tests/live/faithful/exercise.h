/*
 * exercise - random work on a tree, and a line about each step.
 *
 *	exercise [-l STEP] SEED STEPS DIRECTORY
 *
 * The same seed does the same.  Whatever a line says must not depend on when or
 * where it was run: no inode numbers, no times of today, no process numbers,
 * and $R for the directory.  -l: at that step something is done that nobody is
 * told of, so that who compares can be seen to notice.
 *
 * Nothing of cordon's is used: this is any program.
 */
#ifndef CDN_TESTS_EXERCISE_H
#define CDN_TESTS_EXERCISE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/random.h"

#define SLOTS	   10
#define PATH_ROOM  1024
#define NO_FD	   77 /* nobody has it */
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* A way to something: for the kernel, and for the log. */
struct way {
	int dirfd;
	char path[PATH_ROOM];
	char told[PATH_ROOM];
	bool magic; /* the name itself is in /proc */
};

struct step {
	const char *name;
	unsigned weight;
	void (*run)(void);
	unsigned long tried, worked;
};

extern char root[PATH_ROOM];
extern int slots[SLOTS]; /* -1: empty */
extern bool step_worked;

/* exercise.c */
size_t below(size_t n);
bool one_in(size_t n);
long pick_number(const long *from, size_t n);
#define PICK(...)                                  \
	pick_number((const long[]){ __VA_ARGS__ }, \
	    sizeof((const long[]){ __VA_ARGS__ }) / sizeof(long))
/* Relative to the working directory, and then for calls with a dirfd too. */
void any_path(struct way *ret);
void any_way(struct way *ret);
mode_t any_mode(void);
/* What was answered: the value if it is not an error. */
void tell(long result, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * The same about a name that is to be made or removed.  /proc is no place for
 * that, the rules say so too, and who says it first does not matter.
 */
#define TELL_NAME(magic, result, ...) \
	(mute_error(magic), tell((result), __VA_ARGS__))
void mute_error(bool mute);
void tell_state(int dirfd, const char *path);
void tell_fd(int fd);
/* The descriptor goes to a slot, whose old one is closed. */
void keep(int fd);
/* A descriptor of a slot; now and then one that is none. */
int any_fd(void);
bool is_fifo(int dirfd, const char *path);
bool is_regular(int fd);
void make_root(void);

/* exercise_names.c, exercise_files.c, exercise_beside.c: end with no name */
extern struct step name_steps[];
extern struct step file_steps[];
extern struct step beside_steps[];

/* exercise_tree.c: everything below, as text; makes it readable meanwhile. */
void print_tree(const char *directory);
void remove_tree(const char *directory);

#endif
