/*
 * Runs each command in a new shell (first argument, default /bin/bash) from one poll loop: spawn, collect to the end
 * of output, wait, reply. A thread for each call was measured slower, so this is the floor.
 */
#include "floor.h"
#include <spawn.h>
#include <sys/wait.h>

#define JOBS_MAX 4096

extern char **environ;

struct job {
  int fd;
  pid_t pid;
  char *id;
  char *output;
  size_t length, capacity;
};

static const char *shell_path = "/bin/bash";
static struct job jobs[JOBS_MAX];
static struct pollfd polled[JOBS_MAX + 1];
static int job_count;

static void start(char *id, char *command) {
  int pipe_fds[2];
  posix_spawn_file_actions_t actions;
  char *argv[] = {(char *)shell_path, "-c", command, NULL};
  struct job *job = &jobs[job_count++];
  if (job_count >= JOBS_MAX || pipe2(pipe_fds, O_CLOEXEC) != 0) exit(1);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn(&job->pid, shell_path, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_fds[1]);
  free(command);
  job->fd = pipe_fds[0];
  job->id = id;
  job->length = 0;
  job->capacity = 1 << 16;
  job->output = malloc(job->capacity);
}

static size_t write_escaped(char *out, const char *bytes, size_t length) {
  size_t size = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte == '"' || byte == '\\') {
      out[size++] = '\\';
      out[size++] = (char)byte;
    } else if (byte == '\n') {
      out[size++] = '\\';
      out[size++] = 'n';
    } else if (byte < 32) {
      size += (size_t)sprintf(out + size, "\\u%04x", byte);
    } else {
      out[size++] = (char)byte;
    }
  }
  return size;
}

static void finish(struct job *job) {
  int status;
  close(job->fd);
  waitpid(job->pid, &status, 0);
  char *reply = malloc(job->length * 6 + 256);
  size_t size = (size_t)sprintf(
      reply, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"",
      job->id);
  size += write_escaped(reply + size, job->output, job->length);
  size += (size_t)sprintf(reply + size, "\"}]}}\n");
  write_all(1, reply, size);
  free(reply);
  free(job->output);
  free(job->id);
  *job = jobs[--job_count];
}

static void collect(struct job *job) {
  if (job->length == job->capacity) job->output = realloc(job->output, job->capacity *= 2);
  ssize_t count = read(job->fd, job->output + job->length, job->capacity - job->length);
  if (count > 0)
    job->length += (size_t)count;
  else
    finish(job);
}

/* The unescaped `command` argument, to be freed by the caller, or NULL when the call has none. */
static char *find_command(const char *line, size_t length) {
  const char *end = line + length;
  const char *from = memmem(line, length, "\"command\":\"", 11);
  if (!from) return NULL;
  char *command = malloc(length);
  size_t size = 0;
  for (from += 11; from < end && *from != '"'; from++) {
    if (*from == '\\' && ++from < end && *from == 'n')
      command[size++] = '\n';
    else
      command[size++] = *from;
  }
  command[size] = 0;
  return command;
}

static void answer(const char *line, size_t length) {
  const char *id;
  size_t id_length;
  char reply[2048], *command = NULL;
  if (!find_id(line, length, &id, &id_length)) return;
  if (is_method(line, length, "\"tools/call\"")) command = find_command(line, length);
  if (command) {
    start(strndup(id, id_length), command);
    return;
  }
  int size = print_reply(reply, sizeof reply, id, id_length, canned_result(line, length));
  write_all(1, reply, (size_t)size);
}

int main(int argc, char **argv) {
  struct line_buffer input = {0};
  if (argc > 1) shell_path = argv[1];
  for (;;) {
    int polled_jobs = job_count;
    polled[0] = (struct pollfd){0, POLLIN, 0};
    for (int i = 0; i < polled_jobs; i++) polled[i + 1] = (struct pollfd){jobs[i].fd, POLLIN, 0};
    poll(polled, (nfds_t)polled_jobs + 1, -1);
    /* Backwards: finish() moves the last job into the freed place. */
    for (int i = polled_jobs - 1; i >= 0; i--)
      if (polled[i + 1].revents) collect(&jobs[i]);
    if (!polled[0].revents) continue;
    if (!fill(&input)) return 0;
    size_t length;
    const char *line;
    while ((line = next_line(&input, &length)) != NULL) answer(line, length);
  }
}
