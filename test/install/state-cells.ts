import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

import { isObject } from "../../src/base/values.ts";
import type { EditableClient } from "../../src/install/find-client.ts";
import { type Entry, entryName, launchWords } from "../../src/install/install-targets.ts";
import { type CommandRun, type CommandRunInput, runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";
import { ownFiles } from "./client-files.ts";
import { brokenText, usualFile } from "./client-states.ts";

/** The parser that stands for the client's in the table. */
interface Reader {
  /** With its version where it is a package. */
  readonly name: string;
  readonly takesComments: boolean;
  /** @throws for a text that it does not take */
  readonly read: (text: string) => unknown;
}

/** Node's: clients that take more read all that it reads. */
const strictJson: Reader = { name: "JSON.parse", takesComments: false, read: JSON.parse };

const jsonc: Reader = {
  name: "jsonc-parser",
  takesComments: true,
  read(text) {
    const errors: ParseError[] = [];
    const root: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new Error(`${errors.length} errors`);
    return root;
  },
};

/** VS Code's own package, which opencode uses, too; Zed, Gemini CLI and Qwen Code have others that take comments. */
const withComments = ["vscode", "vscode-insiders", "vscodium", "opencode", "zed", "gemini", "qwen"];

/** Not the parser by which `install` reads YAML: that is Bun's. */
const yaml: Reader = { name: "yaml", takesComments: true, read: (text) => parseYaml(text) };
const toml: Reader = { name: "smol-toml", takesComments: true, read: (text) => parseToml(text) };

export function readerOf(client: EditableClient): Reader {
  const file = usualFile(client);
  if (file.endsWith(".yaml")) return yaml;
  if (file.endsWith(".toml")) return toml;
  return withComments.includes(client.id) ? jsonc : strictJson;
}

/** The states of a client's file before, and what happens to it, as the table names them. */
export const cellNames = [
  "no file",
  "empty",
  "own entries, comments",
  "broken",
  "written by the client in between",
  "changed while install asks",
] as const;

const program = "/home/you/.scorpiox/scorpiox-code";

/** What was seen of one client whose files have these line ends: a cell for each of `cellNames`. */
export async function cellsOf(
  client: EditableClient,
  lineEnd: "\n" | "\r\n",
): Promise<readonly string[]> {
  const reader = readerOf(client);
  const own = ownText(client, reader).replaceAll("\n", lineEnd);
  // Not every client takes comments in its JSON; people write them all the same.
  const tolerant = reader === strictJson ? jsonc : reader;
  const commented = ownText(client, tolerant).replaceAll("\n", lineEnd);
  const broken = brokenText(client).replaceAll("\n", lineEnd);
  return [
    await thereAndBack(client, undefined),
    await thereAndBack(client, ""),
    await thereAndBack(client, commented, tolerant),
    await refused(client, broken),
    await writtenBetween(client, own, lineEnd),
    await changedWhileAsked(client, own),
  ];
}

/** With comments where the parser takes them. */
function ownText(client: EditableClient, { takesComments }: Reader): string {
  const file = usualFile(client);
  const [key = ""] = client.home.path;
  const yamlName = client.home.kind === "list" ? "yamlList" : "yamlMap";
  const json = takesComments ? "json" : "plain";
  const name = file.endsWith(".toml") ? "toml" : file.endsWith(".yaml") ? yamlName : json;
  return (ownFiles[name] ?? "").replaceAll("KEY", key);
}

/** A home in which the client is. */
class Place implements Disposable {
  readonly #tree = new TempTree();
  readonly #file: string;

  constructor(
    readonly client: EditableClient,
    text: string | undefined,
    readonly reader = readerOf(client),
  ) {
    this.#file = this.#tree.path(usualFile(client));
    mkdirSync(dirname(this.#file), { recursive: true });
    mkdirSync(this.#tree.path("home/.claude"), { recursive: true });
    if (text !== undefined) this.write(text);
  }

  get text(): string | undefined {
    return existsSync(this.#file) ? readFileSync(this.#file, "utf8") : undefined;
  }

  write(text: string): void {
    writeFileSync(this.#file, text);
  }

  run(command: string, input: CommandRunInput = { services: {} }): Promise<CommandRun> {
    const isOfProject = usualFile(this.client).startsWith("project");
    const scope = isOfProject && command !== "undo" ? ["--scope", "project"] : [];
    const yes = input.stdin === undefined ? ["--yes"] : [];
    return runIn(this.#tree, [command, this.client.id, ...scope, ...yes], {
      env: { PATH: "/nowhere" },
      ...input,
    });
  }

  /** The servers as the client's parser reads them; undefined for a file that it does not take. */
  servers(): Readonly<Record<string, unknown>> | undefined {
    const { home } = this.client;
    try {
      const root = (this.text ?? "").trim() === "" ? {} : this.reader.read(this.text ?? "");
      const found = home.path.reduce<unknown>(
        (at, key) => (isObject(at) ? at[key] : undefined),
        root,
      );
      if (!Array.isArray(found)) return isObject(found) ? found : {};
      return Object.fromEntries(found.map((item: Entry) => [item["name"], item]));
    } catch {
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#tree[Symbol.dispose]();
  }
}

async function thereAndBack(
  client: EditableClient,
  text: string | undefined,
  reader?: Reader,
): Promise<string> {
  using place = new Place(client, text, reader);
  const before = place.servers();
  await place.run("install");
  const seen = [...readText(place, before), ...keptText(text ?? "", place.text ?? "")];
  await place.run("undo");
  const back = text === undefined ? "no file again" : "exact";
  return [...seen, place.text === text ? back : "NOT exact"].join(", ");
}

/** Whether the parser finds our entry as it was meant, and the user's own ones as before. */
function readText(place: Place, before: ReturnType<Place["servers"]>): readonly string[] {
  const { [entryName]: ours, ...others } = place.servers() ?? {};
  const wanted = place.client.entry(launchWords(place.client, [program]), entryName);
  if (!Bun.deepEquals(ours, wanted)) return ["NOT read"];
  if (!Bun.deepEquals(others, before)) return ["read", "own servers NOT as before"];
  const count = Object.keys(others).length;
  return count === 0 ? ["read"] : ["read", `${count} own`];
}

function keptText(before: string, after: string): readonly string[] {
  const comments = before.match(/\/\/[^\r\n]*|\/\*.*?\*\/|#[^\r\n]*/g) ?? [];
  const kept = comments.filter((comment) => after.includes(comment)).length;
  const isCrlf = before.includes("\r\n");
  const isMixed = before !== "" && (isCrlf ? /(?<!\r)\n/ : /\r/).test(after);
  return [
    ...(comments.length === 0 ? [] : [`${kept} of ${comments.length} comments`]),
    ...(isMixed ? ["line ends MIXED"] : []),
  ];
}

async function refused(client: EditableClient, text: string): Promise<string> {
  using place = new Place(client, text);
  const { exitCode, stdout } = await place.run("install");
  if (exitCode === 0 || place.text !== text) return "NOT refused";
  return stdout.includes(program) ? "refused, entry printed" : "refused, entry NOT printed";
}

/** Clients of plain JSON write their whole file again; the others get a line at the top. */
async function writtenBetween(
  client: EditableClient,
  own: string,
  lineEnd: string,
): Promise<string> {
  using place = new Place(client, own);
  const before = place.servers();
  await place.run("install");
  const text = place.text ?? "";
  place.write(clientWrites(client, text, lineEnd));
  const read = readText(place, before);
  const { stderr } = await place.run("undo");
  const isTold = stderr.includes("was changed since");
  const isOut = Bun.deepEquals(place.servers(), before) && place.text?.includes("hasWritten");
  return [...read, isOut === true && isTold ? "only the entry out" : "NOT undone"].join(", ");
}

function clientWrites(client: EditableClient, text: string, lineEnd: string): string {
  const file = usualFile(client);
  if (file.endsWith(".toml")) return `hasWritten = true${lineEnd}${text}`;
  if (file.endsWith(".yaml")) return `hasWritten: true${lineEnd}${text}`;
  if (readerOf(client).takesComments) return text.replace("{", `{${lineEnd}  "hasWritten": true,`);
  const root = { hasWritten: true, ...(JSON.parse(text) as object) };
  return `${JSON.stringify(root, undefined, 4)}\n`.replaceAll("\n", lineEnd);
}

async function changedWhileAsked(client: EditableClient, own: string): Promise<string> {
  using place = new Place(client, own);
  const written = clientWrites(client, own, "\n");
  async function* answer(): AsyncGenerator<string> {
    place.write(written);
    yield "y\n";
  }
  const { exitCode } = await place.run("install", { terminals: ["stdin"], stdin: answer() });
  return exitCode === 1 && place.text === written ? "refused" : "NOT refused";
}
