import type { ToolResult } from "./seen-by.ts";

/** What differs from run to run, and what stands for it. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\bpid":\d{2,}/g, 'pid":4242'],
  [/\bpid \d+/g, "pid 4242"],
  [/(runtimeMs|elapsedMs|ms)":\d+(?=[,}])/g, '$1":1'],
  [/\b(after|for|in) \d+(?:\.\d+)? m?s\b/g, "$1 1 ms"],
  // A line of its own, of slow commands: on a busy machine all are.
  [/\\ntook \d+(?:\.\d+)? s(?=\\n|")/g, ""],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"],
  [/\b20\d\d-\d\d-\d\d\b/g, "DATE"],
  [/untrusted content [0-9a-f]{12}/g, "untrusted content MARK"],
  [/\b[a-z0-9]{8}-[0-9a-f]{16}-[0-9a-f]{8}\b/g, "RESULT"],
  [/\b(?:\d{4,}|\d{1,3},\d{3})(?= (?:of \d+ )?(?:characters|bytes|lines))/g, "N"],
  [/unreadBytes":\d{4,}/g, 'unreadBytes":1'],
  [/\b[\d,]+ of N (characters|bytes)/g, "some of N $1"],
  // A callback fires each second, and a busy machine is slower: how often is no fact of the result.
  [/\bfire \d+\b/g, "fire N"],
  [/(\[Callback \d+, fire N\][^"\\]*)(?:\\n\1)+/g, "$1"],
  [/("\[Callback \d+, fire N\][^"\\]*")(?:,\1)+/g, "$1"],
  [/"size":\d+/g, '"size":1'],
  [/\b(?:bubblewrap|landlock|Landlock|seatbelt)\b/g, "SANDBOX"],
  [/Not enforced: [^"\\]*/g, "Not enforced: …"],
];

/** A result in which paths, ports, times, process ids and random ids are always the same. */
export function stableResult(result: ToolResult, home: string, origin: string): ToolResult {
  const host = new URL(origin).host;
  let written = JSON.stringify(result).replaceAll(home, "HOME").replaceAll(host, "SITE");
  for (const [pattern, text] of volatile) written = written.replaceAll(pattern, text);
  return JSON.parse(written) as ToolResult;
}

/** A text with what is long and says nothing taken out: rows of numbers, of the same line, of one letter. */
export function shortened(text: string): string {
  return text
    .replaceAll(/(?:^\d+\n){3,}(?:\d+$)?/gm, "(numbers)\n")
    .replaceAll(/(?:^A line of the skill\.\n){3,}/gm, "(lines of the skill)\n")
    .replaceAll(/(?:^Paragraph \d+ tells[^\n]*\n\n?){3,}/gm, "(paragraphs)\n")
    .replaceAll(/x{40,}/g, "(x)");
}
