#include "enforce/run/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "enforce/sys/process.h"

/* From the background each of these would stop us, were SIGTTOU not blocked. */
static uint64_t
block_ttou(void)
{
	uint64_t mask;

	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	cdn_sys_set_mask(mask | CDN_SIGNAL_BIT(SIGTTOU), NULL);
	return mask;
}

static bool
is_ours(const struct cdn_terminal *terminal)
{
	return tcgetpgrp(terminal->fd) == terminal->group;
}

void
cdn_terminal_open(struct cdn_terminal *terminal)
{
	*terminal = (struct cdn_terminal){ .group = getpgrp() };
	terminal->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (terminal->fd >= 0 && tcgetattr(terminal->fd, &terminal->own) != 0) {
		close(terminal->fd);
		terminal->fd = -1;
	}
}

bool
cdn_terminal_offer(struct cdn_terminal *terminal)
{
	terminal->given = terminal->fd >= 0 && is_ours(terminal) &&
	    isatty(0) && isatty(1);
	return terminal->given;
}

static void
give(struct cdn_terminal *terminal, pid_t leader)
{
	uint64_t mask = block_ttou();

	(void)tcgetattr(terminal->fd, &terminal->own);
	if (terminal->has_theirs)
		(void)tcsetattr(terminal->fd, TCSADRAIN, &terminal->theirs);
	terminal->given = tcsetpgrp(terminal->fd, leader) == 0;
	cdn_sys_set_mask(mask, NULL);
}

static void
take(struct cdn_terminal *terminal)
{
	uint64_t mask = block_ttou();

	terminal->has_theirs =
	    tcgetattr(terminal->fd, &terminal->theirs) == 0;
	(void)tcsetpgrp(terminal->fd, terminal->group);
	(void)tcsetattr(terminal->fd, TCSADRAIN, &terminal->own);
	terminal->given = false;
	cdn_sys_set_mask(mask, NULL);
}

/*
 * The whole group, as the key would have done.  When nobody could ever let us
 * go on (an orphaned group) the kernel does not stop us.
 */
static void
suspend(int signal)
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

int
cdn_terminal_stopped(struct cdn_terminal *terminal, pid_t leader, int signal,
    bool (*continued)(void *arg), void *arg)
{
	bool wants_it = signal == SIGTTIN || signal == SIGTTOU;
	bool had_it = terminal->given;
	bool went_on;

	if (terminal->fd < 0)
		return 0; /* whoever stopped it may let it go on */
	if (wants_it && !terminal->given && is_ours(terminal)) {
		give(terminal, leader);
		return SIGCONT;
	}
	if (had_it)
		take(terminal);
	(void)continued(arg);
	suspend(wants_it ? signal : SIGTSTP);
	went_on = continued(arg);
	if ((had_it || wants_it) && is_ours(terminal))
		give(terminal, leader);
	return wants_it && !went_on && !terminal->given ? SIGHUP : SIGCONT;
}

void
cdn_terminal_close(struct cdn_terminal *terminal)
{
	uint64_t mask;

	if (terminal->fd < 0)
		return;
	if (terminal->given) {
		take(terminal);
		mask = block_ttou();
		(void)tcflush(terminal->fd, TCIFLUSH);
		cdn_sys_set_mask(mask, NULL);
	}
	close(terminal->fd);
	terminal->fd = -1;
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
