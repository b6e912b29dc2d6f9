#include "enforce/run/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "enforce/run/tee.h"
#include "enforce/sys/process.h"

#define ROUNDS	   16	/* of one event: other events are not to wait */
#define PATIENCE_MS 5000 /* with a terminal that takes nothing any more */

/* A process has one controlling terminal: the keys are for one run at a time. */
static bool has_owner;

/* From the background each of these would stop us, were SIGTTOU not blocked. */
static uint64_t
block_ttou(void)
{
	uint64_t mask;

	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	cdn_sys_set_mask(mask | CDN_SIGNAL_BIT(SIGTTOU), NULL);
	return mask;
}

/* ----- Opening ------------------------------------------------------------ */

/*
 * The master of a pty is not: whatever is read from it was not typed.  Every
 * other terminal is told by the kernel, which compares it with ours.
 */
static bool
is_controlling(int fd)
{
	const dev_t ptmx = makedev(TTYAUX_MAJOR, 2);
	struct stat st;
	pid_t session;

	return fd >= 0 && ioctl(fd, TIOCGSID, &session) == 0 &&
	    fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev != ptmx;
}

/* O_NONBLOCK belongs to the open file description: those of others are theirs. */
static int
open_user(const struct cdn_terminal *terminal, const int stdio[3])
{
	const int flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open("/dev/tty", flags);
	char name[64];

	for (int i = 0; i < 3 && fd < 0; i++) {
		if (!terminal->is[i])
			continue;
		snprintf(name, sizeof(name), "/proc/self/fd/%d", stdio[i]);
		fd = open(name, flags);
	}
	return fd;
}

static int
unblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/*
 * In the background the settings are those of another program, such as a shell
 * that edits a line: the kernel's own will do until we are in front.
 */
static bool
set_up_pty(struct cdn_terminal *t)
{
	t->settled = cdn_terminal_is_ours(t);
	if (!t->settled && tcgetattr(t->slave_fd, &t->initial) != 0)
		return false;
	if (t->settled)
		t->initial = t->own;
	t->initial.c_lflag |= t->own.c_lflag & TOSTOP;
	return tcsetattr(t->slave_fd, TCSANOW, &t->initial) == 0;
}

static int
open_both(struct cdn_terminal *t, const int stdio[3], struct cordon_error *err)
{
	int r;

	t->user_fd = open_user(t, stdio);
	if (t->user_fd < 0 || tcgetattr(t->user_fd, &t->own) != 0)
		return cdn_err_sys(err, errno, "failed to open the terminal "
		    "(with '</dev/null 2>&1 | cat' the run has none)");
	r = cdn_pty_open(&t->master_fd, &t->slave_fd, err);
	if (r < 0)
		return r;
	if (unblock(t->master_fd) != 0 || !set_up_pty(t))
		return cdn_err_sys(err, errno, "failed to make a terminal");
	cdn_terminal_resize(t);
	return 0;
}

int
cdn_terminal_open(const int stdio[3], bool foreground,
    struct cdn_terminal **ret, struct cordon_error *err)
{
	struct cdn_terminal *t;
	bool is[3];
	int r;

	*ret = NULL;
	for (int i = 0; i < 3; i++)
		is[i] = is_controlling(stdio[i]);
	if (!is[0] && !is[1] && !is[2])
		return 0;
	t = malloc(sizeof(*t));
	if (t == NULL)
		return cdn_err_nomem(err);
	/* The bytes are not touched before they are needed. */
	memset(t, 0, offsetof(struct cdn_terminal, keys));
	t->keys.at = t->keys.n = t->shown.at = t->shown.n = 0;
	t->user_fd = t->master_fd = t->slave_fd = -1;
	memcpy(t->is, is, sizeof(is));
	t->foreground = foreground;
	t->group = getpgrp();
	t->owner = !__atomic_exchange_n(&has_owner, true, __ATOMIC_ACQUIRE);
	r = open_both(t, stdio, err);
	if (r < 0) {
		cdn_terminal_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
cdn_terminal_free(struct cdn_terminal *terminal)
{
	if (terminal == NULL)
		return;
	cdn_terminal_leave(terminal);
	close_fd(&terminal->user_fd);
	close_fd(&terminal->master_fd);
	close_fd(&terminal->slave_fd);
	if (terminal->owner)
		__atomic_store_n(&has_owner, false, __ATOMIC_RELEASE);
	free(terminal);
}

/* ----- The foreground ----------------------------------------------------- */

bool
cdn_terminal_is_ours(const struct cdn_terminal *terminal)
{
	return !terminal->gone &&
	    tcgetpgrp(terminal->user_fd) == terminal->group;
}

bool
cdn_terminal_offers(const struct cdn_terminal *terminal)
{
	return terminal->foreground && terminal->owner && terminal->is[0] &&
	    terminal->is[1] && cdn_terminal_is_ours(terminal);
}

/* TCSANOW: to wait for the output of a blocked terminal would never end. */
static void
set(const struct cdn_terminal *terminal, const struct termios *settings)
{
	uint64_t mask = block_ttou();

	(void)tcsetattr(terminal->user_fd, TCSANOW, settings);
	cdn_sys_set_mask(mask, NULL);
}

static bool
is_same(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	    a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
	    memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/* The first time in front, unless the run chose settings of its own. */
static void
settle(struct cdn_terminal *terminal)
{
	struct termios now;

	if (!terminal->settled && tcgetattr(terminal->slave_fd, &now) == 0 &&
	    is_same(&now, &terminal->initial))
		(void)tcsetattr(terminal->slave_fd, TCSANOW, &terminal->own);
	terminal->settled = true;
}

/*
 * The output settings of the user's terminal follow those of the pty: other
 * programs write there as well (the rest of a pipeline, a background job), and
 * need LF to begin a line unless a full-screen program of the run chose raw
 * output.
 */
static tcflag_t
output_flags(const struct cdn_terminal *terminal)
{
	const tcflag_t own = terminal->own.c_oflag;
	struct termios pty;

	if (tcgetattr(terminal->slave_fd, &pty) == 0 &&
	    (pty.c_oflag & OPOST) != 0)
		return own;
	return own & ~(tcflag_t)OPOST;
}

static void
follow_output(struct cdn_terminal *terminal)
{
	tcflag_t flags = output_flags(terminal);

	if (!terminal->front || flags == terminal->raw.c_oflag ||
	    !cdn_terminal_is_ours(terminal))
		return;
	terminal->raw.c_oflag = flags;
	set(terminal, &terminal->raw);
}

/* Again: if no other program changed it meanwhile, what it was is known. */
void
cdn_terminal_enter(struct cdn_terminal *terminal)
{
	struct termios now;

	cdn_terminal_resize(terminal);
	if (tcgetattr(terminal->user_fd, &now) != 0 ||
	    (terminal->front && is_same(&now, &terminal->raw)))
		return;
	terminal->own = terminal->raw = now;
	cfmakeraw(&terminal->raw);
	terminal->raw.c_cflag = now.c_cflag; /* the line itself stays */
	terminal->raw.c_oflag = output_flags(terminal);
	terminal->raw.c_cc[VMIN] = 1;
	terminal->raw.c_cc[VTIME] = 0;
	set(terminal, &terminal->raw);
	/* As the kernel keeps it. */
	(void)tcgetattr(terminal->user_fd, &terminal->raw);
	terminal->front = true;
	settle(terminal);
}

/* In the background the settings are those of another program. */
void
cdn_terminal_leave(struct cdn_terminal *terminal)
{
	uint64_t mask;

	if (!terminal->front)
		return;
	terminal->front = false;
	if (!cdn_terminal_is_ours(terminal))
		return;
	set(terminal, &terminal->own);
	mask = block_ttou();
	(void)tcflush(terminal->user_fd, TCIFLUSH);
	cdn_sys_set_mask(mask, NULL);
}

/* The kernel sends SIGWINCH to the foreground of the run. */
void
cdn_terminal_resize(const struct cdn_terminal *terminal)
{
	struct winsize size;

	if (ioctl(terminal->user_fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(terminal->master_fd, TIOCSWINSZ, &size);
}

void
cdn_terminal_suspend(int signal)
{
	const struct cdn_sigaction initial = { 0 };
	struct cdn_sigaction before;
	uint64_t mask;

	if (cdn_sys_sigaction(signal, &initial, &before) != 0)
		return;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	cdn_sys_set_mask(mask & ~CDN_SIGNAL_BIT(signal), NULL);
	(void)kill(0, signal);
	cdn_sys_set_mask(mask, NULL);
	cdn_sys_sigaction(signal, &before, NULL);
}

/* ----- Relaying ----------------------------------------------------------- */

static bool
is_empty(const struct cdn_lane *lane)
{
	return lane->at == lane->n;
}

/* -errno; 0: it is empty, or was all written. */
static int
write_lane(struct cdn_lane *lane, int fd)
{
	while (!is_empty(lane)) {
		ssize_t n = cdn_write_quietly(fd, lane->bytes + lane->at,
		    lane->n - lane->at);

		if (n < 0 && n != -EINTR)
			return (int)n;
		if (n > 0)
			lane->at += (size_t)n;
	}
	lane->at = lane->n = 0;
	return 0;
}

/* Appends.  -errno; 0: the end of the file. */
static ssize_t
read_lane(struct cdn_lane *lane, int fd)
{
	ssize_t n = read(fd, lane->bytes + lane->n,
	    sizeof(lane->bytes) - lane->n);

	if (n < 0)
		return -errno;
	lane->n += (size_t)n;
	return n;
}

/* A terminal of which it is not known who is in its foreground has hung up. */
static void
look_if_gone(struct cdn_terminal *terminal)
{
	terminal->gone |= tcgetpgrp(terminal->user_fd) < 0;
}

/* What cannot be shown any more is dropped, as the run is not to block. */
static void
write_shown(struct cdn_terminal *terminal)
{
	int r = terminal->gone ? -EIO : write_lane(&terminal->shown,
	    terminal->user_fd);

	if (r == 0 || r == -EAGAIN)
		return;
	look_if_gone(terminal);
	terminal->shown.at = terminal->shown.n = 0;
}

/* Does the user's terminal make CR LF of LF once more? */
static bool
adds_returns(const struct cdn_terminal *terminal)
{
	return !terminal->front || (terminal->raw.c_oflag & OPOST) != 0;
}

/* Then only LF is left for it to do so. */
static void
undo_newlines(struct cdn_lane *lane)
{
	size_t n = 0;

	for (size_t i = 0; i < lane->n; i++)
		if (lane->bytes[i] != '\r' || i + 1 == lane->n ||
		    lane->bytes[i + 1] != '\n')
			lane->bytes[n++] = lane->bytes[i];
	lane->n = n;
}

static bool
fill_shown(struct cdn_terminal *terminal)
{
	ssize_t n = 1;

	while (n > 0 && terminal->shown.n < sizeof(terminal->shown.bytes))
		n = read_lane(&terminal->shown, terminal->master_fd);
	follow_output(terminal);
	if (adds_returns(terminal))
		undo_newlines(&terminal->shown);
	return !is_empty(&terminal->shown);
}

void
cdn_terminal_show(struct cdn_terminal *terminal)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (is_empty(&terminal->shown) && !fill_shown(terminal))
			return;
		write_shown(terminal);
		if (!is_empty(&terminal->shown))
			return;
	}
}

/*
 * From the background the kernel stops us or answers EIO: not a byte that is
 * typed for another program is read, whatever we believed.
 */
static void
read_keys(struct cdn_terminal *terminal)
{
	ssize_t n = read_lane(&terminal->keys, terminal->user_fd);

	if (n > 0 || n == -EAGAIN || n == -EINTR)
		return;
	look_if_gone(terminal);
	terminal->gone |= cdn_terminal_is_ours(terminal);
}

/* Is it the user's own key, and would the run's terminal send SIGINT for it? */
static bool
has_interrupt(const struct cdn_terminal *terminal)
{
	const cc_t key = terminal->own.c_cc[VINTR];
	const struct cdn_lane *keys = &terminal->keys;
	struct termios pty;

	return key != _POSIX_VDISABLE && keys->n > keys->at &&
	    memchr(keys->bytes + keys->at, key, keys->n - keys->at) != NULL &&
	    tcgetattr(terminal->slave_fd, &pty) == 0 &&
	    (pty.c_lflag & ISIG) != 0 && pty.c_cc[VINTR] == key;
}

/*
 * The key would have reached the caller's whole process group, too: a script
 * around us, the rest of a pipeline.  Not us: the run decides what becomes of
 * it.
 */
static void
interrupt_group(void)
{
	const struct cdn_sigaction ignore = { .handler = (uintptr_t)SIG_IGN };
	struct cdn_sigaction before;
	uint64_t mask;

	if (cdn_sys_sigaction(SIGINT, &ignore, &before) != 0)
		return;
	/* A blocked signal would be kept for later. */
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	cdn_sys_set_mask(mask & ~CDN_SIGNAL_BIT(SIGINT), NULL);
	(void)kill(0, SIGINT);
	cdn_sys_set_mask(mask, NULL);
	cdn_sys_sigaction(SIGINT, &before, NULL);
}

void
cdn_terminal_type(struct cdn_terminal *terminal)
{
	if (is_empty(&terminal->keys) && terminal->front &&
	    cdn_terminal_is_ours(terminal)) {
		read_keys(terminal);
		if (terminal->foreground && has_interrupt(terminal))
			interrupt_group();
	}
	if (write_lane(&terminal->keys, terminal->master_fd) != -EAGAIN)
		terminal->keys.at = terminal->keys.n = 0;
}

/* Did it take something, or hang up, before our patience ended? */
static bool
takes_more(const struct cdn_terminal *terminal)
{
	struct pollfd on = { .fd = terminal->user_fd, .events = POLLOUT };
	int r;

	do
		r = poll(&on, 1, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	return r > 0;
}

void
cdn_terminal_flush(struct cdn_terminal *terminal)
{
	bool more = true;

	while (more && !terminal->gone) {
		cdn_terminal_show(terminal);
		more = is_empty(&terminal->shown) ? fill_shown(terminal) :
						    takes_more(terminal);
	}
	terminal->shown.at = terminal->shown.n = 0;
}

/* ----- A new one ---------------------------------------------------------- */

/* The terminal people look at: the controlling one, or what stdio is. */
static bool
caller_size(struct winsize *ret)
{
	cdn_cleanup_fd int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC |
	    O_NOCTTY);

	if (fd >= 0 && ioctl(fd, TIOCGWINSZ, ret) == 0)
		return true;
	for (int i = 0; i < 3; i++)
		if (ioctl(i, TIOCGWINSZ, ret) == 0)
			return true;
	return false;
}

void
cdn_pty_resize(int master)
{
	struct winsize size = { 0 };

	if (!caller_size(&size) || size.ws_col == 0 || size.ws_row == 0)
		return;
	/* The kernel tells those in front of it by SIGWINCH. */
	(void)ioctl(master, TIOCSWINSZ, &size);
}

/* By the master: /dev/pts may be another one, or not be there. */
static int
open_slave(int master)
{
	int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];

	if (fd >= 0 || ptsname_r(master, name, sizeof(name)) != 0)
		return fd;
	return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int
cdn_pty_open(int *ret_master, int *ret_slave, struct cordon_error *err)
{
	const struct winsize usual = { .ws_row = 24, .ws_col = 80 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave = -1;
	int error;

	if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
		slave = open_slave(master);
	if (slave < 0) {
		error = errno;
		if (master >= 0)
			close(master);
		return cdn_err_sys(err, error, "failed to make a terminal");
	}
	(void)ioctl(master, TIOCSWINSZ, &usual);
	cdn_pty_resize(master);
	*ret_master = master;
	*ret_slave = slave;
	return 0;
}
