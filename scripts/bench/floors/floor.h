/*
 * What both floors share: a growing line buffer over stdin, whole writes to stdout, and just enough reading of a
 * request to answer it. A floor is the least work a stdio server can do; nothing here validates anything.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INITIALIZE_RESULT                                                                      \
  "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"  \
  "\"serverInfo\":{\"name\":\"floor\",\"version\":\"1.0.0\"}}"
#define TOOLS_LIST_RESULT                                                                      \
  "{\"tools\":["                                                                               \
  "{\"name\":\"echo\",\"description\":\"echo\",\"inputSchema\":{\"type\":\"object\","          \
  "\"properties\":{\"message\":{\"type\":\"string\"}}}},"                                      \
  "{\"name\":\"Bash\",\"description\":\"run\",\"inputSchema\":{\"type\":\"object\","           \
  "\"properties\":{\"command\":{\"type\":\"string\"}}}}]}"
#define ECHO_RESULT "{\"content\":[{\"type\":\"text\",\"text\":\"Echo: hi\"}]}"
#define EMPTY_RESULT "{}"

/* The method and the id stand near the front of every request that the bench sends. */
#define METHOD_SEARCH_BYTES 300
#define ID_SEARCH_BYTES 200

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written >= 0) {
      bytes += written;
      length -= (size_t)written;
    } else if (errno == EAGAIN) {
      struct pollfd writable = {fd, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      exit(1);
    }
  }
}

/* The bytes of the request's id, quotes included. Returns 0 for a notification. */
static int find_id(const char *line, size_t length, const char **id, size_t *id_length) {
  const char *end = line + length;
  const char *key = memmem(line, length < ID_SEARCH_BYTES ? length : ID_SEARCH_BYTES, "\"id\":", 5);
  if (!key) key = memmem(line, length, "\"id\":", 5);
  if (!key) return 0;
  const char *start = key + 5;
  while (start < end && *start == ' ') start++;
  const char *stop = start;
  if (*stop == '"') {
    stop++;
    while (stop < end && *stop != '"') stop += *stop == '\\' ? 2 : 1;
    stop++;
  } else {
    while (stop < end && *stop != ',' && *stop != '}' && *stop != ' ') stop++;
  }
  *id = start;
  *id_length = (size_t)(stop - start);
  return 1;
}

static int is_method(const char *line, size_t length, const char *quoted_method) {
  size_t searched = length < METHOD_SEARCH_BYTES ? length : METHOD_SEARCH_BYTES;
  return memmem(line, searched, quoted_method, strlen(quoted_method)) != NULL;
}

static const char *canned_result(const char *line, size_t length) {
  if (is_method(line, length, "\"initialize\"")) return INITIALIZE_RESULT;
  if (is_method(line, length, "\"tools/list\"")) return TOOLS_LIST_RESULT;
  if (is_method(line, length, "\"tools/call\"")) return ECHO_RESULT;
  return EMPTY_RESULT;
}

static int print_reply(char *out, size_t size, const char *id, size_t id_length, const char *result) {
  return snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", (int)id_length, id,
                  result);
}

/* Bytes read from stdin; complete lines are handed out, the rest waits for the next read. */
struct line_buffer {
  char *bytes;
  size_t capacity, length, line_start, scanned;
};

/* Returns 0 at the end of input. */
static int fill(struct line_buffer *buffer) {
  if (buffer->line_start > 0) {
    memmove(buffer->bytes, buffer->bytes + buffer->line_start, buffer->length - buffer->line_start);
    buffer->length -= buffer->line_start;
    buffer->scanned -= buffer->line_start;
    buffer->line_start = 0;
  }
  if (buffer->length == buffer->capacity) {
    buffer->capacity = buffer->capacity ? buffer->capacity * 2 : 1 << 16;
    buffer->bytes = realloc(buffer->bytes, buffer->capacity);
  }
  ssize_t count = read(0, buffer->bytes + buffer->length, buffer->capacity - buffer->length);
  if (count <= 0) return 0;
  buffer->length += (size_t)count;
  return 1;
}

/* Returns NULL when no complete line is left. */
static const char *next_line(struct line_buffer *buffer, size_t *length) {
  char *from = buffer->bytes + buffer->scanned;
  char *newline = memchr(from, '\n', buffer->length - buffer->scanned);
  if (!newline) {
    buffer->scanned = buffer->length;
    return NULL;
  }
  const char *line = buffer->bytes + buffer->line_start;
  *length = (size_t)(newline - line);
  buffer->line_start = buffer->scanned = (size_t)(newline + 1 - buffer->bytes);
  return line;
}
