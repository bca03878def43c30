#ifndef _WIN32
#define _GNU_SOURCE /* dladdr */
#endif

#include "library.h"

#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

/* The path of the file that this was loaded from. */
static bool find_self(char path[SCREE_PATH_SIZE])
{
    static const char here = 0;
#ifdef _WIN32
    HMODULE self;
    wchar_t wide[SCREE_PATH_SIZE];
    DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(flags, (LPCWSTR)(const void *)&here, &self))
        return false;
    DWORD size = GetModuleFileNameW(self, wide, SCREE_PATH_SIZE);
    return size > 0 && size < SCREE_PATH_SIZE &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, SCREE_PATH_SIZE, NULL, NULL) > 0;
#else
    Dl_info about;
    if (!dladdr(&here, &about) || !about.dli_fname || strlen(about.dli_fname) >= SCREE_PATH_SIZE)
        return false;
    strcpy(path, about.dli_fname);
    return true;
#endif
}

bool scree_library_package(char folder[SCREE_PATH_SIZE])
{
    static const char binaries[] = "/binaries";
    if (!find_self(folder))
        return false;
    for (char *at = folder; *at; at++)
        if (*at == '\\')
            *at = '/';
    for (int level = 0; level < 2; level++) { /* off with the file, then with the platform */
        char *slash = strrchr(folder, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    size_t size = strlen(folder), tail = sizeof binaries - 1;
    if (size < tail || strcmp(folder + size - tail, binaries) != 0)
        return false;
    folder[size - tail] = '\0';
    return true;
}
