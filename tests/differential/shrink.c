/*
 * A disagreement, made as small as it gets; and printed, ready to be tried.
 */
#include "differential.h"

const char *const enforcers[ENFORCERS] = {
	[BY_ORACLE] = "oracle",
	[BY_SBPL] = "seatbelt",
	[BY_NATIVE] = "native",
	[BY_TRACE] = "native, --trace",
	[BY_BWRAP] = "bwrap",
};

/* ----- Making it small ---------------------------------------------------- */

static struct questions single;

/* Without what it lies in, nothing can be asked about it. */
static bool
has_place(struct world *world, const char *path)
{
	char dir[PATH_SIZE];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash == NULL)
		return true;
	*slash = '\0';
	return tree_find(&world->tree, dir) != NULL;
}

bool
still_differs(struct world *world, struct finding *finding)
{
	struct tally none = { 0 };
	struct finding now;

	if (!draft_valid(&world->draft))
		return false;
	draft_write(&world->draft, &world->tree);
	if (finding->question.act != ACT_BELOW &&
	    (!has_place(world, finding->question.path) ||
		!has_place(world, finding->question.other)))
		return false;
	single.v[0] = finding->question;
	single.n = 1;
	if (examine(world, &single, BIT(finding->by), &none, &now) ||
	    now.by != finding->by)
		return false;
	*finding = now;
	return true;
}

static bool
shrink_draft(struct world *world, struct finding *finding)
{
	static struct world less;

	for (size_t i = 0;; i++) {
		less = *world;
		if (!draft_less(&less.draft, i))
			return false;
		if (still_differs(&less, finding)) {
			*world = less;
			return true;
		}
	}
}

static bool
is_needed(const struct finding *f, const char *path)
{
	const char *paths[] = { f->question.path, f->question.other,
		f->question.real };
	size_t n = strlen(path);

	if (strncmp(path, "w/.cordon", 9) == 0)
		return true; /* a policy is there, or it is not */
	for (size_t i = 0; i < CDN_LEN(paths); i++)
		if (strncmp(paths[i], path, n) == 0 &&
		    (paths[i][n] == '/' || paths[i][n] == '\0'))
			return true;
	return strchr(path, '/') == NULL; /* a top */
}

static bool
shrink_tree(struct world *world, struct finding *finding)
{
	static struct world less;

	for (size_t i = world->tree.n; i-- > 0;) {
		const char *path = world->tree.v[i].path;

		if (is_needed(finding, path))
			continue;
		less = *world;
		tree_cut(&less.tree, path);
		/* What a worker needs comes back. */
		if (still_differs(&less, finding) &&
		    less.tree.n < world->tree.n) {
			*world = less;
			return true;
		}
	}
	return false;
}

/* First all of it at once: mostly that does. */
static void
shrink_tree_at_once(struct world *world, struct finding *finding)
{
	static struct world less;

	less = *world;
	for (size_t i = less.tree.n; i-- > 0;)
		if (!is_needed(finding, less.tree.v[i].path))
			tree_cut(&less.tree, less.tree.v[i].path);
	if (still_differs(&less, finding))
		*world = less;
}

void
shrink(struct world *world, struct finding *finding)
{
	if (!still_differs(world, finding)) {
		printf("# alone it agrees: it depends on what is done before\n");
		return;
	}
	cage_is_quiet = true;
	shrink_tree_at_once(world, finding);
	while (shrink_draft(world, finding))
		;
	while (shrink_tree(world, finding))
		;
	while (shrink_draft(world, finding))
		;
	cage_is_quiet = false;
	(void)still_differs(world, finding); /* as it is on the disk now */
}

/* ----- Telling ------------------------------------------------------------ */

static void
print_lines(const char *name, const char *text)
{
	printf("# --- %s\n", name);
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		printf("# %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* Told already; NULL: there is none. */
static const char *
first_name(const struct tree *tree, size_t of)
{
	for (size_t i = 0; i < of && tree->v[of].file != 0; i++)
		if (tree->v[i].file == tree->v[of].file)
			return tree->v[i].path;
	return NULL;
}

static void
print_tree(const struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct node *node = &tree->v[i];

		if (strncmp(node->path, "w/.cordon", 9) == 0)
			continue;
		if (node->kind == KIND_DIR)
			printf("# mkdir -p '%s'\n", node->path);
		else if (first_name(tree, i) != NULL)
			printf("# ln '%s' '%s'\n", first_name(tree, i),
			    node->path);
		else if (node->kind == KIND_FILE)
			printf("# echo '#!/bin/true' >'%s'; chmod %o '%s'\n",
			    node->path, (unsigned)node->mode, node->path);
		else
			printf("# ln -s '%s' '%s'\n", node->text, node->path);
	}
}

static void
print_shell(const struct question *q)
{
	for (const char *c = acts[q->act].shell; *c != '\0'; c++)
		if (*c == '@' || *c == '%')
			printf("%s/%s", stage,
			    *c == '@' ? q->path : q->other);
		else
			putchar(*c);
}

static void
print_command(const struct world *world, const struct finding *f)
{
	const char *words[OPTIONS_MAX];
	const struct question *q = &f->question;
	size_t n = draft_options(&world->draft, words);
	static const char *const ops[] = { "read", "modify", "exec" };

	for (int run = 0; run < 2; run++) {
		printf(run ? "# cordon run" : "# cordon check");
		for (size_t i = 0; i + 1 < n; i += 2)
			if (strstr(words[i + 1], "/tools") == NULL)
				printf(" %s %s", words[i], words[i + 1]);
		if (!run) {
			printf(" --op %s '%s'\n", ops[acts[q->act].op],
			    at("%s", q->path));
			continue;
		}
		if (f->by == BY_BWRAP)
			printf(" --backend bwrap --enforcement degraded");
		printf("%s -- sh -c \"", f->by == BY_TRACE ? " --trace" : "");
		print_shell(q);
		printf("\"\n");
	}
}

void
tell(const struct world *world, const struct finding *f)
{
	const struct question *q = &f->question;
	char text[TEXT_SIZE];

	printf("# %s: %s %s %s: the decision %s it (%s), ",
	    f->by < ENFORCERS ? enforcers[f->by] : "no cage",
	    acts[q->act].name, q->path, q->other,
	    q->verdict.allowed ? "allows" : "denies",
	    q->verdict.rule_text != NULL ? "a rule" : "no rule");
	if (f->died)
		printf("but the run died\n");
	else if (f->started)
		printf("but a run starts that is not held\n");
	else if (f->state[0] != '\0')
		printf("answered %d, but on the disk is %s\n", q->result,
		    f->state);
	else
		printf("but it %s (%s)\n", f->worked ? "works" : "is refused",
		    f->by >= BY_NATIVE && !f->worked ? strerror(q->result) :
						       "");
	printf("# cd %s # and there:\n", stage);
	print_tree(&world->tree);
	for (size_t i = 0; i < draft_documents(&world->draft); i++) {
		draft_format(&world->draft.documents[i], "p", text,
		    sizeof(text));
		print_lines(draft_place(&world->draft, i), text);
	}
	if (world->draft.worker != WORKER_NONE) {
		draft_format_worker(&world->draft, text, sizeof(text));
		print_lines("worker.yaml", text);
	}
	if (world->draft.source == SOURCE_HOST)
		printf("# mount --bind etc /etc # in a namespace\n");
	printf("# cd w; HOME=%s/home XDG_CONFIG_HOME=%s/config\n", stage,
	    stage);
	print_command(world, f);
}
