/** Text between backticks: as many of them as it takes, white space as in running text. */
export function inlineCode(raw: string, style: "markdown" | "text"): string {
  const text = raw.replace(/\s+/g, " ").trim();
  if (text === "" || style === "text") return text;
  const runs = text.match(/`+/g)?.map((run) => run.length) ?? [];
  const taken = new Set(runs);
  let length = 1;
  while (taken.has(length)) length++;
  const fence = "`".repeat(length);
  const isPadded = text.startsWith("`") || text.endsWith("`");
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
