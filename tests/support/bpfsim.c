#include "support/bpfsim.h"

#include <stdbool.h>
#include <string.h>

/* What seccomp takes of classic BPF. */
static const uint16_t opcodes[] = {
	BPF_LD | BPF_W | BPF_ABS, BPF_LD | BPF_W | BPF_LEN, BPF_LD | BPF_IMM,
	BPF_LD | BPF_MEM, BPF_LDX | BPF_W | BPF_LEN, BPF_LDX | BPF_IMM,
	BPF_LDX | BPF_MEM, BPF_ST, BPF_STX, BPF_MISC | BPF_TAX,
	BPF_MISC | BPF_TXA, BPF_RET | BPF_K, BPF_RET | BPF_A,
	BPF_ALU | BPF_ADD | BPF_K, BPF_ALU | BPF_ADD | BPF_X,
	BPF_ALU | BPF_SUB | BPF_K, BPF_ALU | BPF_SUB | BPF_X,
	BPF_ALU | BPF_MUL | BPF_K, BPF_ALU | BPF_MUL | BPF_X,
	BPF_ALU | BPF_DIV | BPF_K, BPF_ALU | BPF_DIV | BPF_X,
	BPF_ALU | BPF_AND | BPF_K, BPF_ALU | BPF_AND | BPF_X,
	BPF_ALU | BPF_OR | BPF_K, BPF_ALU | BPF_OR | BPF_X,
	BPF_ALU | BPF_XOR | BPF_K, BPF_ALU | BPF_XOR | BPF_X,
	BPF_ALU | BPF_LSH | BPF_K, BPF_ALU | BPF_LSH | BPF_X,
	BPF_ALU | BPF_RSH | BPF_K, BPF_ALU | BPF_RSH | BPF_X,
	BPF_ALU | BPF_NEG, BPF_JMP | BPF_JA,
	BPF_JMP | BPF_JEQ | BPF_K, BPF_JMP | BPF_JEQ | BPF_X,
	BPF_JMP | BPF_JGE | BPF_K, BPF_JMP | BPF_JGE | BPF_X,
	BPF_JMP | BPF_JGT | BPF_K, BPF_JMP | BPF_JGT | BPF_X,
	BPF_JMP | BPF_JSET | BPF_K, BPF_JMP | BPF_JSET | BPF_X,
};

/* ----- May it be loaded? ------------------------------------------------------ */

static bool
known(uint16_t code)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i] == code)
			return true;
	return false;
}

static bool
is_memory(uint16_t code)
{
	return code == (BPF_LD | BPF_MEM) || code == (BPF_LDX | BPF_MEM) ||
	    code == BPF_ST || code == BPF_STX;
}

static const char *
check_operand(const struct sock_filter *in)
{
	if (in->code == (BPF_LD | BPF_W | BPF_ABS) &&
	    (in->k >= sizeof(struct seccomp_data) || in->k % 4 != 0))
		return "loads from outside the data, or between two words";
	if (is_memory(in->code) && in->k >= BPF_MEMWORDS)
		return "scratch memory out of range";
	if (in->code == (BPF_ALU | BPF_DIV | BPF_K) && in->k == 0)
		return "divides by zero";
	if ((in->code == (BPF_ALU | BPF_LSH | BPF_K) ||
		in->code == (BPF_ALU | BPF_RSH | BPF_K)) && in->k >= 32)
		return "shifts too far";
	return NULL;
}

static const char *
check_jump(const struct sock_filter *in, size_t left)
{
	if (BPF_CLASS(in->code) != BPF_JMP)
		return NULL;
	if (BPF_OP(in->code) == BPF_JA)
		return in->k < left ? NULL : "jumps past the end";
	return in->jt < left && in->jf < left ? NULL : "jumps past the end";
}

/* Scratch words must have been written on every way to where they are read. */
static const char *
check_memory(const struct sock_filter *code, size_t n)
{
	uint16_t written[BPF_MAXINSNS], now = 0;

	memset(written, 0xff, sizeof(written));
	for (size_t i = 0; i < n; i++) {
		const struct sock_filter *in = &code[i];

		now &= written[i];
		if (in->code == BPF_ST || in->code == BPF_STX) {
			now |= (uint16_t)(1U << in->k);
		} else if (is_memory(in->code)) {
			if ((now & 1U << in->k) == 0)
				return "reads scratch memory before writing";
		} else if (in->code == (BPF_JMP | BPF_JA)) {
			written[i + 1 + in->k] &= now;
			now = 0xffff;
		} else if (BPF_CLASS(in->code) == BPF_JMP) {
			written[i + 1 + in->jt] &= now;
			written[i + 1 + in->jf] &= now;
			now = 0xffff;
		}
	}
	return NULL;
}

const char *
bpfsim_check(const struct sock_filter *code, size_t n)
{
	const char *why;

	if (n == 0 || n > BPF_MAXINSNS)
		return "too long, or nothing at all";
	for (size_t i = 0; i < n; i++) {
		if (!known(code[i].code))
			return "an instruction seccomp does not take";
		if ((why = check_operand(&code[i])) != NULL ||
		    (why = check_jump(&code[i], n - i - 1)) != NULL)
			return why;
	}
	if (BPF_CLASS(code[n - 1].code) != BPF_RET)
		return "does not end in a return";
	return check_memory(code, n);
}

/* ----- What does it say? ------------------------------------------------------- */

struct machine {
	uint32_t a, x;
	uint32_t m[BPF_MEMWORDS];
	const unsigned char *data;
};

/* False: divided by zero, which ends the program with 0. */
static bool
calculate(struct machine *vm, uint16_t code, uint32_t k)
{
	uint32_t by = BPF_SRC(code) == BPF_X ? vm->x : k;

	switch (BPF_OP(code)) {
	case BPF_ADD: vm->a += by; break;
	case BPF_SUB: vm->a -= by; break;
	case BPF_MUL: vm->a *= by; break;
	case BPF_AND: vm->a &= by; break;
	case BPF_OR: vm->a |= by; break;
	case BPF_XOR: vm->a ^= by; break;
	case BPF_LSH: vm->a <<= by & 31; break;
	case BPF_RSH: vm->a >>= by & 31; break;
	case BPF_NEG: vm->a = 0U - vm->a; break;
	case BPF_DIV:
		if (by == 0)
			return false;
		vm->a /= by;
		break;
	default: break;
	}
	return true;
}

static bool
holds(const struct machine *vm, uint16_t code, uint32_t k)
{
	uint32_t with = BPF_SRC(code) == BPF_X ? vm->x : k;

	switch (BPF_OP(code)) {
	case BPF_JEQ: return vm->a == with;
	case BPF_JGE: return vm->a >= with;
	case BPF_JGT: return vm->a > with;
	default: return (vm->a & with) != 0; /* BPF_JSET */
	}
}

static uint32_t
load(const struct machine *vm, uint16_t code, uint32_t k)
{
	uint32_t word;

	switch (BPF_MODE(code)) {
	case BPF_IMM: return k;
	case BPF_MEM: return vm->m[k];
	case BPF_LEN: return sizeof(struct seccomp_data);
	default:
		memcpy(&word, vm->data + k, sizeof(word));
		return word;
	}
}

/* How many instructions are skipped after this one. */
static size_t
jump(const struct machine *vm, const struct sock_filter *in)
{
	if (BPF_OP(in->code) == BPF_JA)
		return in->k;
	return holds(vm, in->code, in->k) ? in->jt : in->jf;
}

uint32_t
bpfsim_run(const struct sock_filter *code, size_t n,
    const struct seccomp_data *data, unsigned *steps)
{
	struct machine vm = { .data = (const unsigned char *)data };
	unsigned done = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sock_filter *in = &code[i];

		if (steps != NULL)
			*steps = ++done;
		switch (BPF_CLASS(in->code)) {
		case BPF_LD: vm.a = load(&vm, in->code, in->k); break;
		case BPF_LDX: vm.x = load(&vm, in->code, in->k); break;
		case BPF_ST: vm.m[in->k] = vm.a; break;
		case BPF_STX: vm.m[in->k] = vm.x; break;
		case BPF_JMP: i += jump(&vm, in); break;
		case BPF_RET:
			return BPF_RVAL(in->code) == BPF_A ? vm.a : in->k;
		case BPF_ALU:
			if (!calculate(&vm, in->code, in->k))
				return 0;
			break;
		default: /* BPF_MISC */
			if (in->code == (BPF_MISC | BPF_TAX))
				vm.x = vm.a;
			else
				vm.a = vm.x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS; /* bpfsim_check() was not asked */
}
