/*
 * banned - libc functions that have taught the world enough lessons.
 *
 * Each of them becomes a compile error that names the replacement.  Included
 * by base.h only, after the headers that declare them.
 */
#ifndef CDN_BASE_BANNED_H
#define CDN_BASE_BANNED_H

#define CDN_BANNED(name, instead) name##_is_banned_use_##instead

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef strtok
#undef sprintf
#undef vsprintf
#undef gets
#undef atoi
#undef atol
#undef atof
#undef asctime
#undef ctime
#undef gmtime
#undef localtime

#define strcpy(d, s)	 CDN_BANNED(strcpy, cdn_str_or_memcpy)
#define strcat(d, s)	 CDN_BANNED(strcat, cdn_buf)
#define strncpy(d, s, n) CDN_BANNED(strncpy, memcpy)
#define strncat(d, s, n) CDN_BANNED(strncat, cdn_buf)
#define strtok(s, d)	 CDN_BANNED(strtok, cdn_str)
#define sprintf(...)	 CDN_BANNED(sprintf, snprintf)
#define vsprintf(...)	 CDN_BANNED(vsprintf, vsnprintf)
#define gets(s)		 CDN_BANNED(gets, getline)
#define atoi(s)		 CDN_BANNED(atoi, cdn_str_parse_u64)
#define atol(s)		 CDN_BANNED(atol, cdn_str_parse_u64)
#define atof(s)		 CDN_BANNED(atof, strtod)
#define asctime(t)	 CDN_BANNED(asctime, strftime)
#define ctime(t)	 CDN_BANNED(ctime, strftime)
#define gmtime(t)	 CDN_BANNED(gmtime, gmtime_r)
#define localtime(t)	 CDN_BANNED(localtime, localtime_r)

#endif
