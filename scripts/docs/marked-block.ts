/**
 * `text` with `body` between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
 * @throws when one of the markers is missing
 */
export function replaceBlock(text: string, name: string, body: string, file: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file} lacks the markers ${begin} and ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${body}\n\n${text.slice(to)}`;
}
