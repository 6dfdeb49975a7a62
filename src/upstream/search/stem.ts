/**
 * Takes endings off a lower-case word, so that `issues`, `creating` and `deletion` meet `issue`, `create` and `delete`.
 * What is left is no word, only the same for all of them. Light: it prefers to leave an ending on.
 */
export function stem(word: string): string {
  const regular = irregular.get(word) ?? word;
  if (regular.length < 4 || !/^[a-z]+$/.test(regular)) return regular;
  let rest = withoutPlural(regular);
  rest = withoutVerbEnding(rest);
  if (rest.length > 5 && rest.endsWith("ion") && /[st]$/.test(rest.slice(0, -3))) {
    rest = rest.slice(0, -3);
  }
  if (rest.length > 8 && rest.endsWith("ment")) rest = rest.slice(0, -4);
  if (rest.length > 3 && rest.endsWith("e")) rest = rest.slice(0, -1);
  return rest.length > 3 && rest.endsWith("y") ? `${rest.slice(0, -1)}i` : rest;
}

/** Forms without an ending that could be taken off. */
const irregular: ReadonlyMap<string, string> = new Map(
  `sent:send written:write wrote:write made:make ran:run got:get took:take taken:take found:find said:say kept:keep
   gave:give given:give began:begin drew:draw drawn:draw sold:sell paid:pay left:leave done:do went:go gone:go saw:see
   seen:see chose:choose chosen:choose built:build bought:buy held:hold lost:lose met:meet read:read spoke:speak
   spoken:speak told:tell thought:think understood:understand won:win broken:break broke:break hidden:hide shown:show
   known:know knew:know grown:grow thrown:throw woken:wake people:person children:child indices:index
   matrices:matrix statuses:status addresses:address`
    .split(/\s+/)
    .map((pair) => pair.split(":"))
    .map(([form = "", base = ""]) => [form, base]),
);

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3) return word;
  // running → run, but calling → call.
  return /([bdgkmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}
