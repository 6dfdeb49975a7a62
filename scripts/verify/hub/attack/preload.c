/* In a program that somebody else wrote: connects as that program, and lets a child speak. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

__attribute__((constructor)) static void connect_to_hub(void) {
  const char *path = getenv("SOCKET_OF_HUB");
  if (path == NULL) return;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  strncpy(name.sun_path, path, sizeof name.sun_path - 1);
  int link = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(link, (struct sockaddr *)&name, sizeof name) != 0) return;
  char fd[16], pid[16];
  snprintf(fd, sizeof fd, "%d", link);
  snprintf(pid, sizeof pid, "%d", getpid());
  char *attack = getenv("ATTACK"), *facts = getenv("FACTS");
  unsetenv("SOCKET_OF_HUB");
  unsetenv("LD_PRELOAD");
  if (fork() == 0) execl("/usr/bin/python3", "python3", "-I", attack, facts, "said-by-brother", fd, pid, (char *)NULL);
}
