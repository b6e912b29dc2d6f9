/*
 * differential - one policy, one tree, one question; everybody who answers it.
 *
 *	draft ─► policy.yaml ─► session ─► verdicts ───────────────┐
 *	tree  ─► real files                                        ├─► compare
 *	  └─► questions ─► prober in each cage, SBPL, naive oracle ┘
 *
 * What they disagree about must be in the plan's own report, for exactly that
 * rule or that place; or it is a bug of one of them.  Such a case is made as
 * small as it gets and printed as a policy and a command line.
 */
#ifndef CDN_DIFFERENTIAL_DIFFERENTIAL_H
#define CDN_DIFFERENTIAL_DIFFERENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "acts.h"
#include "enforce/launch/launch.h"

#define PATH_SIZE  96
#define TEXT_SIZE  4096
#define RULE_SIZE  64
#define RULES_MAX  8
#define NODES_MAX  128

/* 0 to n - 1; the same for everybody, from one seed (differential.c). */
size_t chance(size_t n);

/* ----- tree.c: real files below the stage --------------------------------- */

enum kind { KIND_DIR, KIND_FILE, KIND_LINK };

struct node {
	enum kind kind;
	char path[PATH_SIZE]; /* below the stage: "w/a/x" */
	char text[TEXT_SIZE]; /* what is in it, or where it leads */
	mode_t mode;
	unsigned file; /* names of one file have the same; 0: its only name */
	ino_t ino;     /* on disk, after tree_settle() */
};

/* Parents before what lies in them. */
struct tree {
	struct node v[NODES_MAX];
	size_t n;
	unsigned files; /* with more than one name, so far */
};

#define CHANGES_MAX 1024

/* What was found on disk: "+w/new", "-w/gone", "~w/other". */
struct changes {
	char v[CHANGES_MAX][PATH_SIZE + 1];
	size_t n;
};

extern char stage[64];

#define TOPS 5
extern const char *const tops[TOPS]; /* everything lies in one of them */

struct node *tree_find(struct tree *tree, const char *path);
struct node *tree_put(struct tree *tree, enum kind kind, const char *path,
    const char *text);
/* A hard link. */
struct node *tree_put_name(struct tree *tree, struct node *of,
    const char *path);
/* Are they one file? */
bool tree_is_same(struct tree *tree, const char *path, const char *other);
bool tree_has_below(const struct tree *tree, const char *path);
/* Without that one and what lies below it. */
void tree_cut(struct tree *tree, const char *path);
/* Makes the disk as the tree says; changes (or NULL) is what was otherwise. */
void tree_settle(struct tree *tree, struct changes *changes);
void changes_add(struct changes *changes, char sign, const char *path);
/* "~" of all names of that file. */
void changes_add_file(struct changes *changes, struct tree *tree,
    const char *path);
/* The first one that is in one of them only; NULL: they are the same. */
const char *changes_differ(const struct changes *a, const struct changes *b);

void file_write(const char *path, const char *text);
void dir_make(const char *path);
void tree_remove(const char *path); /* below the stage; need not be there */
/* Absolute; good for the next few calls. */
const char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ----- grow.c: trees at random -------------------------------------------- */

void tree_grow(struct tree *tree);
/* Some of its files have other names, too. */
void tree_grow_names(struct tree *tree);

/* ----- draft.c: policies -------------------------------------------------- */

enum { RULE_READ, RULE_MODIFY, RULE_EXEC, RULE_KINDS };

struct rules {
	char v[RULES_MAX][RULE_SIZE]; /* as authored, '!' included */
	size_t n;
};

struct document {
	struct rules own[RULE_KINDS], deny[RULE_KINDS];
	bool has_exec;
	bool host_in, host_out; /* declared roots: STAGE/in, STAGE/out */
	bool host_tools;	/* and where the prober lies */
};

enum sources {
	SOURCE_POLICY,	 /* --policy */
	SOURCE_POLICIES, /* two of them */
	SOURCE_PROJECT,	 /* the user's, and the project's own */
	SOURCE_NONE,	 /* no document: the preset's own rules */
	SOURCE_HOST,	 /* the host's in /etc, and --policy */
	SOURCES
};

/* A worker around it, and where in the workspace its roots lie. */
enum workers { WORKER_NONE, WORKER_ALL, WORKER_FIXED, WORKER_PARTS, WORKERS };

struct draft {
	enum sources source;
	enum workers worker;
	struct document documents[2];
	enum cordon_preset preset;
	bool read_in, write_out; /* of the command line */
};

/* Which kind of policies: 0 to DRAFT_SHAPES - 1, from simple to wild. */
#define DRAFT_SHAPES 4
void draft_make(struct draft *draft, size_t shape);
/* Perhaps with a worker and, if /etc is ours, a policy of the host. */
void draft_extend(struct draft *draft, bool has_host);
/* Where the i-th document lies, below the stage; that of the worker. */
const char *draft_place(const struct draft *draft, size_t i);
void draft_format_worker(const struct draft *draft, char *out, size_t size);
size_t draft_documents(const struct draft *draft);
/* Is each of them valid? */
bool draft_valid(const struct draft *draft);
void draft_format(const struct document *document, const char *name,
    char *out, size_t size);
/* Its files, and those in the tree; then the options of the command. */
void draft_write(const struct draft *draft, struct tree *tree);
#define OPTIONS_MAX 32
size_t draft_options(const struct draft *draft, const char *ret[OPTIONS_MAX]);
struct cordon_session *draft_session(const struct draft *draft);
size_t draft_size(const struct draft *draft);
/* The i-th way to make it smaller; false: there are no more of them. */
bool draft_less(struct draft *draft, size_t i);

/* ----- oracle.c: the rules once more, word for word ----------------------- */

enum oracle { ORACLE_DENY, ORACLE_ALLOW, ORACLE_NOT_SURE };

/* Of a real path below the stage; fold: as if case did not matter. */
enum oracle oracle_ask(const struct draft *draft, size_t op, const char *path,
    bool fold);
/* Of the file that is there, whatever it is called. */
enum oracle oracle_ask_file(const struct draft *draft, struct tree *tree,
    size_t op, const char *path);

/* ----- questions.c -------------------------------------------------------- */

enum enforcer { BY_ORACLE, BY_SBPL, BY_NATIVE, BY_TRACE, BY_BWRAP, ENFORCERS };

struct question {
	enum act act;
	bool relative; /* asked by a path relative to the workspace */
	char path[PATH_SIZE], other[PATH_SIZE]; /* below the stage */
	char real[PATH_SIZE]; /* where links lead; "" = elsewhere */
	bool expected;	      /* there is a verdict */
	struct cordon_verdict verdict;
	bool linked;  /* denied, for another name of the file is */
	bool changes; /* denied, for what is moved would have other verdicts */
	bool split; /* EXDEV is an answer, too: whoever moves it copies */
	int control; /* outside of any cage */
	int result;  /* of the cage that was asked last */
};

struct questions {
	struct question v[QUESTIONS_MAX];
	size_t n;
};

struct act_row {
	const char *name;
	size_t op;	   /* RULE_READ, ... */
	const char *sbpl;  /* operation of Seatbelt; NULL: has no one word */
	bool is_new;	   /* a name that is not there when the run begins */
	bool names;	   /* changes what a directory holds */
	bool alone;	   /* not together with others of its kind */
	const char *shell; /* '@' is the path, '%' the other */
};
extern const struct act_row acts[ACTS];

void questions_make(struct questions *questions, struct tree *tree);
/* Asks the decision function. */
void question_expect(const struct cordon_session *session,
    struct tree *tree, struct question *question);
/* What it leaves on disk, going by its result. */
void question_changes(const struct question *question, struct tree *tree,
    struct changes *changes);

/* ----- cage.c: the prober, inside ----------------------------------------- */

/*
 * BY_NATIVE, BY_TRACE, BY_BWRAP; ENFORCERS: outside of any cage.  degraded: also
 * if it does not hold all.
 */
bool cage_open(const struct draft *draft, enum enforcer by, bool degraded);
/* All of one act, or a single one; results go to .result.  False: it died. */
bool cage_ask(struct question **questions, size_t n);
bool cage_close(void);
/* The text of the profile; free() it. */
char *cage_sbpl(const struct draft *draft);
extern const char *cage_command; /* the cordon that is tested */
extern const char *cage_plant;	 /* a bug it has, or NULL */
extern bool cage_is_quiet;	 /* what a failing run says is not printed */

/* ----- explain.c: is it said? --------------------------------------------- */

/* Does the report of the plan say of this question that it is not held? */
bool is_reported(const struct cordon_plan *plan, enum enforcer by,
    const struct question *question, bool worked);
/* That a file which it must protect has another name? */
bool is_name_line(const struct cordon_plan *plan);

/* ----- examine.c: everybody is asked -------------------------------------- */

#define BIT(by) (1U << (by))
#define ALL	(BIT(ENFORCERS) - 1)

struct tally {
	unsigned long policies, refused, cases, modes[4];
	unsigned long weaker; /* refused, and asked with less than all held */
	unsigned long linked; /* cases denied for another name of the file */
	unsigned long hosts, workers; /* of the policies, those with one */
	unsigned long allowed, denied; /* by the decision function */
	unsigned long agree[ENFORCERS], reported[ENFORCERS];
};

struct world {
	struct draft draft;
	struct tree tree;
};

/* A disagreement. */
struct finding {
	enum enforcer by;
	struct question question;
	bool worked;
	char state[PATH_SIZE + 1]; /* what nobody told of: "+w/new"; or "" */
	bool died;
	bool started; /* although the plan refuses */
};

/* Do they agree, as far as they are asked?  Else *finding. */
bool examine(struct world *world, struct questions *questions, unsigned who,
    struct tally *tally, struct finding *finding);

/* ----- shrink.c ----------------------------------------------------------- */

extern const char *const enforcers[ENFORCERS];

/* Does it, asked alone?  Then the finding is what came of it now. */
bool still_differs(struct world *world, struct finding *finding);
void shrink(struct world *world, struct finding *finding);
/* As a tree, a policy and a command. */
void tell(const struct world *world, const struct finding *finding);

#endif
