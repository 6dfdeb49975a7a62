/** How this program starts itself: the executable alone when it is compiled, else Bun and the main file. */
export function ownCommand(): readonly string[] {
  const isCompiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/i.test(Bun.main);
  return isCompiled ? [process.execPath] : [process.execPath, Bun.main];
}
