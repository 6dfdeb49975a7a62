/** A network that has nothing but loopback: programs of others run in it, so that they reach nobody. */
export function hasOwnNetwork(): boolean {
  if (Bun.which("unshare") === null || Bun.which("ip") === null) return false;
  return Bun.spawnSync(inOwnNetwork(["true"])).exitCode === 0;
}

/** `command` in a network and a process table of its own. */
export function inOwnNetwork(command: readonly string[]): string[] {
  const start = 'ip link set lo up && exec "$@"';
  return [
    "unshare",
    "--map-root-user",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "sh",
    "-c",
    start,
    "sh",
    ...command,
  ];
}
