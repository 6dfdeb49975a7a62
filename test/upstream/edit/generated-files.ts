import fc from "fast-check";

/** Texts of configuration files as people and programs write them, in all their layouts. */

const comment = fc.constantFrom("note", "[mcp.servers.x]", '"', "'''", "{", "} ,", "été — 😀", "");
const value = fc.constantFrom(
  "1",
  '"a # b"',
  "'c:\\x'",
  '"""\nlong ] } "" \\""" # no\n"""',
  "'''\n[x]\n\n'''",
  "[1, 2]",
  '[\n  "a", # first\n\t"b",\n]',
  "{ a = 1, b = { c = [] } }",
  "1979-05-27T07:32:00Z",
  "true",
  "-1.5e3",
);
const blanks = fc.constantFrom("", " ", "\t", "  ");
const tail = fc.oneof(
  blanks,
  fc.tuple(blanks, comment).map(([gap, text]) => `${gap}# ${text}`),
);

const pairLines = fc
  .array(fc.tuple(blanks, value, tail, fc.boolean()), { maxLength: 4 })
  .map((rows) =>
    rows.map(([indent, text, end, isBlank], index) => {
      const key = index % 2 === 0 ? `key${index}` : `"quoted ${index}"`;
      return `${indent}${key} = ${text}${end}${isBlank ? "\n" : ""}\n`;
    }),
  );

const tables = fc.subarray([
  "[other]",
  "[ other . deep ]  # spaced",
  "[[list]]",
  "[[list]]",
  '[mcp."servers".first]',
  "[mcp.servers.first.env]",
  "[mcp.servers.second]",
  "[mcp.limits]",
]);

const homes = fc.constantFrom(
  "",
  "",
  "[mcp]\nservers = { inline = { command = 'x' } }\n",
  "[mcp]\nservers = {}\n",
  "mcp = { servers = { a = { command = 'x' }, }, on = true }\n",
  "mcp = { on = true }\n",
  "mcp.servers = {\n  a = { command = 'x' }, # one\n  b = { command = 'y' } # two\n}\n",
  "mcp.servers.dotted.command = 'x'\n",
  "[mcp.servers]\nshort = { command = 'x' }\n",
);

function finished(text: string, [isWindows, hasMark, isOpen]: readonly boolean[]): string {
  const closed = isOpen ? text.replace(/\n+$/, "") : text;
  const ended = isWindows ? closed.replaceAll("\n", "\r\n") : closed;
  return (hasMark ? "\uFEFF" : "") + ended;
}

const marks = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());

export const tomlFiles: fc.Arbitrary<string> = fc
  .tuple(pairLines, homes, tables, fc.array(pairLines, { minLength: 8, maxLength: 8 }), marks)
  .map(([head, home, headers, bodies, end]) => {
    const free = home === "" ? headers : headers.filter((header) => !header.includes("mcp"));
    const sections = free.map((header, at) => `\n${header}\n${(bodies[at] ?? []).join("")}`);
    return finished(head.join("") + home + sections.join(""), end);
  })
  .filter((text) => text.replace("\uFEFF", "") !== "");

const server = fc.constantFrom(
  '{"command": "x", "args": ["a"]}',
  '{\n"command" : [ "x" ], // why\n"disabled":true,}',
  '{"url":"https://x.test/mcp"/* } */}',
);
const gap = fc.constantFrom(
  "",
  " ",
  "\n",
  "\n\t",
  "\n  ",
  " /* , */ ",
  " // ] }\n",
  "\n\n    ",
  "  \n",
);

function listOf(parts: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(gap, parts, gap), { maxLength: 4 }), gap, fc.boolean())
    .map(([rows, last, isTrailing]) => {
      const elements = rows.map(([before, text, after]) => before + text + after);
      const comma = isTrailing && rows.length > 0 ? "," : "";
      return open + elements.join(",") + comma + last + close;
    });
}

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c.d", "e f"), { maxLength: 4 });
const entries = names.chain((chosen) =>
  fc
    .tuple(fc.array(fc.tuple(gap, server, gap), { minLength: 4, maxLength: 4 }), gap, fc.boolean())
    .map(([rows, last, isTrailing]) => {
      const elements = chosen.map((name, at) => {
        const [before, text, after] = rows[at] ?? ["", "{}", ""];
        return `${before}${JSON.stringify(name)}: ${text}${after}`;
      });
      return `{${elements.join(",")}${isTrailing && chosen.length > 0 ? "," : ""}${last}}`;
    }),
);
const settings = fc.constantFrom("", '"theme": "dark",', '// none\n"x": [{}],\n\t');
const keyed = fc
  .tuple(gap, settings, fc.constantFrom("mcpServers", "servers", "context_servers"), entries, gap)
  .map(([before, other, key, text, after]) => `{${before}${other}"${key}":${text}${after}}`);
const listed = listOf(
  fc.constantFrom(
    '{"name": "a", "command": "x"}',
    '{\n  "name": "b",\n  "url": "https://x.test"\n}',
  ),
  "[",
  "]",
);
const other = fc.constantFrom(
  "{}",
  "{ }",
  "{\n}",
  '{"theme": 1}',
  '{\n  "theme": 1,\n}',
  "{ // c\n}",
);

export const jsonFiles: fc.Arbitrary<string> = fc
  .tuple(gap, fc.oneof(keyed, keyed, listed, entries, other), gap, marks)
  .map(([before, root, after, end]) => finished(before + root + after, end));
