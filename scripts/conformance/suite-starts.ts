/** The part of a start's output that ends it, on stdout and on stderr. */
export const endOfStart = "\0end of start\n";

/** What the suite makes of its command line, by `commander`. */
interface CommandLine {
  parseAsync(args: readonly string[], options: { readonly from: "user" }): Promise<unknown>;
}

/**
 * Runs the suite once for each list of arguments, one after the other, in this process: loading it takes longer than most
 * scenarios. Called by the suite itself, whose last statement is replaced (programs.ts).
 */
export async function runStarts(suite: CommandLine): Promise<void> {
  const exit = process.exit.bind(process);
  // The suite ends its process after each start. Its code is not needed: what it printed and wrote is judged.
  process.exit = () => undefined as never;
  for (const args of JSON.parse(process.argv[2] ?? "[]") as readonly (readonly string[])[]) {
    await suite.parseAsync(args, { from: "user" });
    process.stdout.write(endOfStart);
    process.stderr.write(endOfStart);
  }
  exit(0);
}
