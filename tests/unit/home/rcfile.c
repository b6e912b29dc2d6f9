/* Of .npmrc and pip.conf: where packages come from, and no credentials. */
#include "enforce/home/rcfile.h"

#include "support/tap.h"

struct row {
	const char *in, *want;
};

static const struct row npm[] = {
	{ "", "" },
	{ "registry=https://r/\n", "registry=https://r/\n" },
	{ " registry = https://r/ \r\n", "registry=https://r/\n" },
	{ "@corp:registry=https://r/x", "@corp:registry=https://r/x\n" },
	{ "proxy=http://p:8080\nhttps-proxy=http://p\nnoproxy=.corp,localhost\n",
	    "proxy=http://p:8080\nhttps-proxy=http://p\n"
	    "noproxy=.corp,localhost\n" },
	{ "cafile=/etc/ca.pem\nca[]=\"-----BEGIN\\nX\"\n",
	    "cafile=/etc/ca.pem\nca[]=\"-----BEGIN\\nX\"\n" },
	{ "# registry=x\n;registry=y\n", "" },
	/* credentials */
	{ "//r/:_authToken=t\n_auth=t\n_password=p\nusername=u\nemail=e\n", "" },
	{ "registry=https://u:p@r/\n", "" },
	{ "registry=https://u@r/\nproxy=http://p\n", "proxy=http://p\n" },
	{ "registry=https://r/?token=t\n", "" },
	{ "registry=https://r/${TOKEN}/\n", "" },
	{ "proxy=http://${U}:${P}@p\n", "" },
	{ "//r/:certfile=c\nkey=k\ncert=c\n", "" },
	/* what runs code, and what is not understood */
	{ "script-shell=/x\nnode-options=--require x\ngit=/x\nprefix=/x\n", "" },
	{ "registry\nregistry=\n=x\n", "" },
	{ "[section]\nregistry=https://r/\n", "" },
	{ "@a\tb:registry=https://r/\n@:registry=https://r/\n", "" },
	{ "registry=https://r/\x01\n", "" },
	{ "REGISTRY=https://r/\n\"registry\"=https://r/\n", "" },
};

static const struct row pip[] = {
	{ "", "" },
	{ "[global]\nindex-url = https://i/simple\n",
	    "[global]\nindex-url = https://i/simple\n" },
	{ "[global]\r\nIndex_URL: https://i/simple\r\n",
	    "[global]\nindex-url = https://i/simple\n" },
	{ "[global]\ntimeout = 60\ntrusted-host = h\n[install]\n"
	  "user = yes\n[search]\nproxy=http://p\n",
	    "[global]\ntrusted-host = h\n[search]\nproxy = http://p\n" },
	{ "[global]\nextra-index-url =\n    https://a\n\thttps://u:p@b\n"
	  "\n    # c\n    https://c\nuser = x\n    https://d\n",
	    "[global]\nextra-index-url = https://a\n    https://c\n" },
	{ "[global]\nindex-url = https://u:p@i\n", "" },
	{ "[global]\nindex-url = https://i?x=y\ncert = /c\n",
	    "[global]\ncert = /c\n" },
	{ "[global]\nindex-url = https://u:p@i\n  https://b\n",
	    "[global]\nindex-url = https://b\n" },
	{ "index-url = https://i\n", "" },
	{ "[]\nindex-url = https://i\n[a b]\nindex-url = https://i\n[x\n"
	  "index-url = https://i\n", "" },
	{ "[global]\nclient-cert = /k\ncache-dir = /x\n", "" },
	{ "[global]\nindex-url\n", "" },
};

static void
check(const struct row *rows, size_t n, const char *which,
    void (*filter)(cdn_str, struct cdn_buf *))
{
	struct cdn_buf out;

	for (size_t i = 0; i < n; i++) {
		cdn_buf_init(&out, 4096);
		filter(cdn_str_of(rows[i].in), &out);
		if (!ok_f(strcmp(out.p != NULL ? out.p : "", rows[i].want) == 0,
			"%s: %s", which, rows[i].in))
			printf("# %s\n", out.p != NULL ? out.p : "(nothing)");
		cdn_buf_done(&out);
	}
}

int
main(void)
{
	check(npm, CDN_LEN(npm), "npm", cdn_rcfile_npm);
	check(pip, CDN_LEN(pip), "pip", cdn_rcfile_pip);
	return done_testing();
}
