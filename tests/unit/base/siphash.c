/* Against the values that its authors give. */
#include "base/siphash.h"

#include "support/tap.h"

int
main(void)
{
	static const uint64_t want[] = { UINT64_C(0x726fdb47dd0e0e31),
		UINT64_C(0x74f839c593dc67fd), UINT64_C(0x0d6c8009d9a94f5a),
		UINT64_C(0x85676696d7fb7e2d), UINT64_C(0xcf2794e0277187b7),
		UINT64_C(0x18765564cd99a68d), UINT64_C(0xcbc9466e58fee3ce),
		UINT64_C(0xab0200f58b01d137), UINT64_C(0x93f5f5799a932462) };
	const struct cdn_siphash_key key = { {
		UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) } };
	const struct cdn_siphash_key other = { { 1, 2 } };
	char text[15];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	for (size_t n = 0; n < CDN_LEN(want); n++)
		ok_f(cdn_siphash(&key, (cdn_str){ text, n }) == want[n],
		    "%zu bytes", n);
	ok(cdn_siphash(&key, (cdn_str){ text, 15 }) ==
		UINT64_C(0xa129ca6149be45e5), "15 bytes");
	ok(cdn_siphash(&other, (cdn_str){ text, 15 }) !=
		UINT64_C(0xa129ca6149be45e5), "another key");
	return done_testing();
}
