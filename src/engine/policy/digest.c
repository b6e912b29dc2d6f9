#include "engine/policy/digest.h"

#include <sha2.h>

void
cdn_digest(cdn_str bytes, char ret[CDN_DIGEST_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char hash[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, (const unsigned char *)bytes.p, bytes.n);
	SHA256Final(hash, &context);
	for (size_t i = 0; i < sizeof(hash); i++) {
		ret[2 * i] = hex[hash[i] >> 4];
		ret[2 * i + 1] = hex[hash[i] & 15];
	}
	ret[CDN_DIGEST_SIZE - 1] = '\0';
}
