/** False when Bun runs the program from its source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/i.test(Bun.main);
