// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files and formats of the host. A file is a number to the program.
#pragma once

#include <stddef.h>

typedef struct __irgl_file FILE;
typedef long fpos_t;
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2

extern "C" {
int printf(const char *format, ...);
int fprintf(FILE *f, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int scanf(const char *format, ...);
int fscanf(FILE *f, const char *format, ...);
int sscanf(const char *text, const char *format, ...);
int puts(const char *text);
int fputs(const char *text, FILE *f);
int putchar(int c);
int putc(int c, FILE *f);
int fputc(int c, FILE *f);
int getchar(void);
int getc(FILE *f);
int fgetc(FILE *f);
int ungetc(int c, FILE *f);
char *fgets(char *to, int size, FILE *f);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
int fflush(FILE *f);
size_t fread(void *to, size_t size, size_t count, FILE *f);
size_t fwrite(const void *from, size_t size, size_t count, FILE *f);
int fseek(FILE *f, long offset, int from);
long ftell(FILE *f);
void rewind(FILE *f);
int feof(FILE *f);
int ferror(FILE *f);
void clearerr(FILE *f);
int setvbuf(FILE *f, char *buffer, int mode, size_t size);
void setbuf(FILE *f, char *buffer);
int remove(const char *path);
int rename(const char *from, const char *to);
void perror(const char *text);
long getline(char **line, size_t *size, FILE *f);
}
