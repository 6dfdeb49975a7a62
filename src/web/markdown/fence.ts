/** The lines of a fence around code: longer than any run of its sign inside. */
export function fenceLines(language: string, text: string): string[] {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return [`${fence}${language}`, ...text.split("\n"), fence];
}
