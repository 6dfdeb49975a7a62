/** False when Bun runs the program from its source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/i.test(Bun.main);

/** How this program starts itself: the executable alone when it is compiled, else Bun and the main file. */
export function ownCommand(): readonly [string, ...string[]] {
  return isCompiled ? [process.execPath] : [process.execPath, Bun.main];
}

/**
 * The same, whatever lies at its path by now: a command may be allowed to write there, and what is started by this
 * would run outside of its bounds. By our process id, not as `self`: `prlimit` and the like, which a command may stand behind, are
 * themselves then.
 */
export function ownRunningCommand(): readonly string[] {
  const [program, ...rest] = ownCommand();
  return [process.platform === "linux" ? `/proc/${process.pid}/exe` : program, ...rest];
}
