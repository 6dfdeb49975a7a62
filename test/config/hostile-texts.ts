import fc from "fast-check";

import { parsePolicy } from "../../src/calls/policy/rules/parse-policy.ts";
import { parseEnvFile } from "../../src/config/env-file.ts";
import { readTokenLines } from "../../src/server/auth/static-tokens.ts";
import { parseFrontMatter, splitSkill } from "../../src/state/skills/read-skill.ts";
import {
  entriesOfJson,
  entriesOfToml,
  parseJsonc,
  parseToml,
  type ParsedText,
} from "../../src/upstream/config/parse-server-file.ts";
import { foreignEntry } from "../../src/upstream/import/foreign-entry.ts";
import { parseForeignText } from "../../src/upstream/import/read-foreign-file.ts";
import { parseLock } from "../../src/upstream/trust/lock/read-lock.ts";
import { parseTrustRecord } from "../../src/upstream/trust/trust-file.ts";

/** Stands as a value in every file; no message may have it. */
const secret = "hunter2hunter2hunter2";

interface Reader {
  readonly name: string;
  /** A file as it should be, of which hostile ones are made. */
  readonly whole: string;
  /** @returns what would be told of the file; it may not have the secret */
  readonly read: (text: string) => unknown;
}

export const readers: readonly Reader[] = [
  {
    name: "TOML",
    whole: `# c\n[mcp.servers.a]\ncommand = "x"\nargs = ["-y", '''l''']\nenv = { TOKEN = "${secret}" }\n[[b.c]]\nd = 1e3\n`,
    read: (text) => faultOf(parseToml(text), entriesOfToml),
  },
  {
    name: "JSONC",
    whole: `{ // c\n"mcpServers": {"a": {"command": "x", "args": ["-y"], "env": {"TOKEN": "${secret}"}, },}, /* */ }`,
    read: (text) => faultOf(parseJsonc(text).parsed, entriesOfJson),
  },
  {
    name: "YAML of another client",
    whole: `extensions:\n  a: &x\n    cmd: "x"\n    args: [-y, 'l']\n    envs: {TOKEN: ${secret}}\n  b: *x\n  c:\n    <<: *x\n    text: |\n      l\n`,
    read: (text) => faultOf(parseForeignText("a.yaml", text), entriesOfJson),
  },
  {
    name: "JSON of another client",
    whole: `{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "${secret}"}}}}`,
    read: (text) => faultOf(parseForeignText("a.json", text), entriesOfJson),
  },
  {
    name: "front matter",
    whole: `---\nname: a\ndescription: >\n  two\n  lines\nallowed-tools: [a, b]\nmetadata: {x: {y: [1, ~]}}\ntoken: ${secret}\n---\nbody\n`,
    read: (text) => {
      const { frontMatter = "", problem } = splitSkill(text);
      const parsed = parseFrontMatter(frontMatter);
      JSON.stringify(parsed.values);
      return [problem, parsed.problem];
    },
  },
  {
    name: "scorpiox-env.txt",
    whole: `# c\nexport A="b \\" c" # d\nB='e'\nTOKEN=${secret}\nC=#f\n`,
    read: (text) => parseEnvFile(text).badLines,
  },
  {
    name: "rules",
    whole: `{"default": {"Bash": "ask"}, "rules": [{"tool": "Bash", "match": {"program": "rm", "has": ["-r*"]}, "action": "deny", "reason": "r"}]}`,
    read: (text) => parsePolicy(text, "f", "user").problems.length,
  },
  {
    name: "tokens",
    whole: `# c\nlabel ${secret} a b # d\n${secret}x\n`,
    read: (text) => readTokenLines(text, "f").fault?.message,
  },
  {
    name: "trust.json",
    whole: `{"version": 1, "launches": {"a": {"/p": "approved"}}, "pins": {"a": {"tools": {"t": "h"}, "prompts": {}, "denied": ["d"]}}}`,
    read: (text) => parseTrustRecord(text).kind,
  },
  {
    name: "mcp.lock",
    whole: `{"version": 1, "servers": {"a": {"launch": {"command": "x", "args": []}, "tools": {"t": {"hash": "h"}}}}}`,
    read: (text) => parseLock(text) === undefined,
  },
];

/** What the parts of a file would do, and what would be told of one that cannot be used. */
function faultOf(parsed: ParsedText, entriesOf: typeof entriesOfJson): unknown {
  if (parsed.kind === "fault") return parsed.text;
  const found = entriesOf(parsed.value);
  if (found.kind === "fault") return found.text;
  for (const { value } of found.entries) JSON.stringify(foreignEntry(value, {}));
  return undefined;
}

/** What changes how a parser reads on, or what programs in JavaScript stumble over. */
const pieces = [
  ...Array.from("\"'`[]{}()<>:;,.=#&*!|>%@?-+~\\/\n\r\t \u0000\u001b\u0085\u2028\ufeff\ud800"),
  ..."\"\"\" ''' --- ... // /* */ << &a *a !!map !!binary |+9 \\u0000 \\ud800 \\x".split(" "),
  ..."1e999 -0 0x 9223372036854775808 nan inf 1979-05-27 null ~ true".split(" "),
  ..."__proto__ constructor prototype toString hasOwnProperty valueOf then length".split(" "),
  '"__proto__": {"polluted": 1},',
  '"constructor": {"prototype": {"polluted": 1}},',
  "[__proto__]\npolluted = 1\n",
  "__proto__.polluted = 1\n",
  "__proto__: {polluted: 1}\n",
  "<<: {__proto__: {polluted: 1}}\n",
  "[".repeat(300),
  '{"a":'.repeat(300),
  "- ".repeat(300),
  "x".repeat(5_000),
];

type Change = readonly [at: number, removed: number, piece: string, times: number];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat(30),
  fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 8 })),
  fc.constantFrom(1, 1, 1, 2, 50),
);

/** Damages files of every kind as often as is said; fast-check prints the seed of what fails. @throws Error for what fails */
export function checkHostileTexts({ name, whole, read }: Reader, numRuns: number): void {
  const before = prototypeNames();
  const property = fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
    const text = changes.reduce(changed, whole);
    const told = JSON.stringify(read(text)) ?? "";
    if (told.includes(secret)) throw new Error(`${name}: the secret is told: ${told}`);
    if (prototypeNames() !== before) throw new Error(`${name}: a prototype was changed`);
  });
  fc.assert(property, { numRuns });
}

function changed(text: string, [at, removed, piece, times]: Change): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + piece.repeat(times) + text.slice(start + removed);
}

function prototypeNames(): string {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  return prototypes.map((each) => Reflect.ownKeys(each).length).join(" ");
}
