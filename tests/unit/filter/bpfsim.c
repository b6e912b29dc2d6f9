/* The simulator against small programs whose answers are plain to see. */
#include "support/bpfsim.h"

#include "support/tap.h"

#define DATA(field) ((uint32_t)offsetof(struct seccomp_data, field))

static const struct seccomp_data data = { .nr = 7, .arch = 0xc000003e,
	.instruction_pointer = 0x1122334455667788,
	.args = { 0xaaaabbbbccccdddd, 2, 3, 4, 5, 0xffffffff00000001 } };

#define LD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define IMM(k)	   BPF_STMT(BPF_LD | BPF_IMM, k)
#define LDX(k)	   BPF_STMT(BPF_LDX | BPF_IMM, k)
#define ALU(op, k) BPF_STMT(BPF_ALU | (op) | BPF_K, k)
#define ALUX(op)   BPF_STMT(BPF_ALU | (op) | BPF_X, 0)
#define JMP(op, k, jt, jf) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, jt, jf)
#define JMPX(op, jt, jf)   BPF_JUMP(BPF_JMP | (op) | BPF_X, 0, jt, jf)
#define RET(k)	   BPF_STMT(BPF_RET | BPF_K, k)
#define RETA	   BPF_STMT(BPF_RET | BPF_A, 0)
#define END	   { 0xffff, 0, 0, 0 }

static const struct {
	const char *what;
	uint32_t want;
	struct sock_filter code[8];
} runs[] = {
	{ "the number", 7, { LD(0), RETA, END } },
	{ "the architecture", 0xc000003e, { LD(4), RETA, END } },
	{ "a lower half", 0xccccdddd, { LD(16), RETA, END } },
	{ "an upper half", 0xaaaabbbb, { LD(20), RETA, END } },
	{ "the last word", 0xffffffff, { LD(60), RETA, END } },
	{ "the length", 64, { BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), RETA, END } },
	{ "a constant", 9, { RET(9), END } },
	{ "add", 12, { IMM(7), ALU(BPF_ADD, 5), RETA, END } },
	{ "subtract below zero", 0xfffffffe, { IMM(3), ALU(BPF_SUB, 5), RETA, END } },
	{ "multiply", 35, { IMM(7), ALU(BPF_MUL, 5), RETA, END } },
	{ "divide", 3, { IMM(17), ALU(BPF_DIV, 5), RETA, END } },
	{ "and", 0xf0, { IMM(0xfff0), ALU(BPF_AND, 0xff), RETA, END } },
	{ "or", 0xff, { IMM(0xf0), ALU(BPF_OR, 0x0f), RETA, END } },
	{ "exclusive or", 0xf0, { IMM(0xff), ALU(BPF_XOR, 0x0f), RETA, END } },
	{ "shift left", 0x80000000, { IMM(1), ALU(BPF_LSH, 31), RETA, END } },
	{ "shift right", 1, { IMM(0x80000000), ALU(BPF_RSH, 31), RETA, END } },
	{ "negate", 0xffffffff, { IMM(1), ALU(BPF_NEG, 0), RETA, END } },
	{ "by X", 12, { LDX(5), IMM(7), ALUX(BPF_ADD), RETA, END } },
	{ "by X of zero ends it", 0, { LDX(0), IMM(7), ALUX(BPF_DIV), RET(1), END } },
	{ "X to A", 5, { LDX(5), BPF_STMT(BPF_MISC | BPF_TXA, 0), RETA, END } },
	{ "A to X", 14, { IMM(7), BPF_STMT(BPF_MISC | BPF_TAX, 0), ALUX(BPF_ADD), RETA, END } },
	{ "scratch", 7, { IMM(7), BPF_STMT(BPF_ST, 15), IMM(1),
	    BPF_STMT(BPF_LD | BPF_MEM, 15), RETA, END } },
	{ "scratch of X", 5, { LDX(5), BPF_STMT(BPF_STX, 0),
	    BPF_STMT(BPF_LD | BPF_MEM, 0), RETA, END } },
	{ "jump", 2, { BPF_STMT(BPF_JMP | BPF_JA, 1), RET(1), RET(2), END } },
	{ "equal", 1, { LD(0), JMP(BPF_JEQ, 7, 0, 1), RET(1), RET(2), END } },
	{ "not equal", 2, { LD(0), JMP(BPF_JEQ, 8, 0, 1), RET(1), RET(2), END } },
	{ "at least", 1, { LD(0), JMP(BPF_JGE, 7, 0, 1), RET(1), RET(2), END } },
	{ "greater", 2, { LD(0), JMP(BPF_JGT, 7, 0, 1), RET(1), RET(2), END } },
	{ "numbers have no sign", 1, { IMM(0xffffffff), JMP(BPF_JGT, 7, 0, 1),
	    RET(1), RET(2), END } },
	{ "a bit", 1, { LD(0), JMP(BPF_JSET, 4, 0, 1), RET(1), RET(2), END } },
	{ "no bit", 2, { LD(0), JMP(BPF_JSET, 8, 0, 1), RET(1), RET(2), END } },
	{ "equal to X", 1, { LDX(7), LD(0), JMPX(BPF_JEQ, 0, 1), RET(1), RET(2), END } },
};

/* Each of these is turned down; the reason is the kernel's. */
static const struct {
	const char *why;
	struct sock_filter code[8];
} refused[] = {
	{ "nothing at all", { END } },
	{ "does not end in a return", { LD(0), END } },
	{ "jumps past the end", { JMP(BPF_JEQ, 0, 0, 1), RET(0), END } },
	{ "jumps past the end", { JMP(BPF_JEQ, 0, 1, 0), RET(0), END } },
	{ "jumps past the end", { BPF_STMT(BPF_JMP | BPF_JA, 1), RET(0), END } },
	{ "jumps past the end", { BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), RET(0), END } },
	{ "outside the data", { LD(64), RET(0), END } },
	{ "between two words", { LD(2), RET(0), END } },
	{ "does not take", { BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), RET(0), END } },
	{ "does not take", { ALU(BPF_MOD, 3), RET(0), END } },
	{ "divides by zero", { ALU(BPF_DIV, 0), RET(0), END } },
	{ "shifts too far", { ALU(BPF_LSH, 32), RET(0), END } },
	{ "scratch memory out of range", { BPF_STMT(BPF_ST, 16), RET(0), END } },
	{ "before writing", { BPF_STMT(BPF_LD | BPF_MEM, 0), RET(0), END } },
	{ "before writing", { JMP(BPF_JEQ, 0, 0, 1), BPF_STMT(BPF_ST, 0),
	    BPF_STMT(BPF_LD | BPF_MEM, 0), RET(0), END } },
};

static size_t
length(const struct sock_filter *code)
{
	size_t n = 0;

	while (code[n].code != 0xffff)
		n++;
	return n;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		size_t n = length(runs[i].code);
		const char *why = bpfsim_check(runs[i].code, n);

		ok_f(why == NULL && bpfsim_run(runs[i].code, n, &data, NULL) ==
		    runs[i].want, "%s: %#x", runs[i].what, runs[i].want);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const char *why = bpfsim_check(refused[i].code,
		    length(refused[i].code));

		ok_f(why != NULL && strstr(why, refused[i].why) != NULL,
		    "refused: %s", refused[i].why);
	}
	ok(DATA(args[5]) == 56, "the data are the kernel's");
	return done_testing();
}
