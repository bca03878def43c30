/*
 * Included before every file of a Linux build: names the oldest versions of the C library's functions, so that the FMU
 * also loads where the C library is older than the one it was built with. What they compute is the same.
 */
#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__)
__asm__(".symver exp,exp@GLIBC_2.2.5");
__asm__(".symver log,log@GLIBC_2.2.5");
__asm__(".symver pow,pow@GLIBC_2.2.5");
__asm__(".symver dladdr,dladdr@GLIBC_2.2.5");
__asm__(".symver pthread_create,pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join,pthread_join@GLIBC_2.2.5");
#endif
