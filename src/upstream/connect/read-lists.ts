import {
  upstreamListProblemsMax,
  upstreamListsMsMax,
  upstreamToolCharsMax,
  upstreamToolDepthMax,
  upstreamToolNameCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { extensionIds } from "../../protocol/client-capabilities.ts";
import { errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError, type RawTool, type ServerCatalogue } from "./connection.ts";
import { skillAsPrompt } from "./foreign-skill.ts";
import type { Greeting } from "./handshake.ts";
import { isNestedDeeper } from "./read-reply.ts";
import {
  type AskPage,
  createListBudget,
  type ListBudget,
  type Pages,
  readPages,
} from "./read-pages.ts";

/** @param method of a list, such as `tools/list` */
export type AskList = (method: string) => AskPage;

type Named = Params & { readonly name: string };

/**
 * Reads all lists of a server. Malformed entries are dropped and reported; a list that cannot be read at all is only
 * fatal for tools. @throws ConnectionError
 */
export async function readLists(greeting: Greeting, askList: AskList): Promise<ServerCatalogue> {
  const reader = new ListReader(greeting, askList);
  const tools = await reader.tools();
  const prompts = await reader.named("prompts", "prompts/list", "name");
  const skills = await reader.skills();
  const resources = await reader.named("resources", "resources/list", "uri");
  const templates = await reader.named(
    "resourceTemplates",
    "resources/templates/list",
    "uriTemplate",
  );
  return {
    ...greeting,
    tools,
    prompts: [...prompts, ...skills],
    resources: resources.filter((entry) => hasText(entry, "uri")),
    templates: templates.filter((entry) => hasText(entry, "uriTemplate")),
    ...(greeting.era === "modern" && reader.ttlMs !== undefined ? { ttlMs: reader.ttlMs } : {}),
    isPrivate: greeting.isPrivate || reader.isPrivate,
    problems: reader.problems(),
  };
}

function hasText<Entry extends Params, Key extends string>(
  entry: Entry,
  key: Key,
): entry is Entry & Readonly<Record<Key, string>> {
  return typeof entry[key] === "string";
}

/** Whether an entry is beyond the limits, which are those of a tool. */
function isTooMuch(entry: Params): boolean {
  if (isNestedDeeper(entry, upstreamToolDepthMax)) return true;
  return JSON.stringify(entry).length > upstreamToolCharsMax;
}

class ListReader {
  ttlMs: number | undefined;
  isPrivate = false;
  readonly #greeting: Greeting;
  readonly #ask: AskList;
  readonly #budget: ListBudget = createListBudget(upstreamListsMsMax);
  readonly #problems: string[] = [];

  constructor(greeting: Greeting, ask: AskList) {
    this.#greeting = greeting;
    this.#ask = ask;
  }

  async tools(): Promise<readonly RawTool[]> {
    const pages = await this.#read("tools", "tools/list", true);
    const tools = new Map<string, RawTool>();
    for (const item of pages) {
      const reading = readTool(item);
      if (reading.kind === "problem") this.#problems.push(reading.problem);
      else if (tools.has(reading.tool.name))
        this.#problems.push(`Tool ${JSON.stringify(reading.tool.name)} is defined twice.`);
      else tools.set(reading.tool.name, reading.tool);
    }
    return [...tools.values()];
  }

  /** Entries that have the member `key` and a name; a resource without a name is named by its URI. */
  async named(member: string, method: string, key: string): Promise<readonly Named[]> {
    const entries: Named[] = [];
    for (const item of await this.#read(member, method, false)) {
      if (!isObject(item) || typeof item[key] !== "string") {
        this.#problems.push(`An entry of ${method} has no ${key}.`);
        continue;
      }
      if (member === "prompts" && item[key].length > upstreamToolNameCharsMax) {
        this.#problems.push(
          `The name of a prompt is longer than ${upstreamToolNameCharsMax} characters.`,
        );
        continue;
      }
      if (isTooMuch(item)) {
        this.#problems.push(`An entry of ${method} is too long or nested too deeply.`);
        continue;
      }
      entries.push({ ...item, name: typeof item.name === "string" ? item.name : item[key] });
    }
    return entries;
  }

  /** The descriptions of its skills; none of their files is read. */
  async skills(): Promise<readonly Named[]> {
    const { extensions } = this.#greeting.capabilities;
    if (!isObject(extensions) || !isObject(extensions[extensionIds.skills])) return [];
    const pages = await this.#readPages("skills", "skills/list", false);
    const read = (pages?.items ?? []).map((item) =>
      isObject(item) && isNestedDeeper(item, upstreamToolDepthMax)
        ? "A skill is nested too deeply."
        : skillAsPrompt(item),
    );
    this.#problems.push(...read.filter((one) => typeof one === "string"));
    return read.filter((one) => typeof one !== "string");
  }

  /** At most so many, and the number of the others. */
  problems(): readonly string[] {
    const shown = this.#problems.slice(0, upstreamListProblemsMax);
    const left = this.#problems.length - shown.length;
    return left === 0 ? shown : [...shown, `There are ${left} more such problems.`];
  }

  async #read(member: string, method: string, isVital: boolean): Promise<readonly unknown[]> {
    const capability = member === "resourceTemplates" ? "resources" : member;
    if (!isObject(this.#greeting.capabilities[capability])) return [];
    const pages = await this.#readPages(member, method, isVital);
    if (pages === undefined) return [];
    if (pages.problem !== undefined)
      this.#problems.push(`${method} is not complete: ${pages.problem}.`);
    if (pages.ttlMs !== undefined) this.ttlMs = Math.min(this.ttlMs ?? Infinity, pages.ttlMs);
    if (pages.isPrivate) this.isPrivate = true;
    return pages.items;
  }

  async #readPages(member: string, method: string, isVital: boolean): Promise<Pages | undefined> {
    try {
      const pages = await readPages(member, this.#ask(method), this.#budget);
      if (!("kind" in pages)) return pages;
      const { code, message } = pages.fault;
      if (isVital)
        throw new ConnectionError(
          "protocol",
          `The server refused ${method}: ${message} (${code}).`,
        );
      // Templates are part of `resources`, but many servers without templates do not know the method.
      if (code !== errorCodes.methodNotFound)
        this.#problems.push(`${method} was refused: ${message}.`);
      return undefined;
    } catch (error) {
      const isFatal =
        !(error instanceof ConnectionError) ||
        !["timeout", "too_large", "protocol"].includes(error.failure);
      if (isVital || isFatal) throw error;
      this.#problems.push(`${method} failed: ${error.message}`);
      return undefined;
    }
  }
}

type ToolReading =
  | { readonly kind: "tool"; readonly tool: RawTool }
  /** One sentence, with the name of the tool if it has one. */
  | { readonly kind: "problem"; readonly problem: string };

/** Checks the two members of a tool that matter; a malformed tool does not affect the others (CN6). */
export function readTool(value: unknown): ToolReading {
  if (!isObject(value)) return problem("A tool is not an object.");
  const { name, inputSchema } = value;
  if (typeof name !== "string" || name === "") return problem("A tool has no name.");
  if (name.length > upstreamToolNameCharsMax) {
    return problem(
      `The name of tool ${shown(name)} is longer than ${upstreamToolNameCharsMax} characters.`,
    );
  }
  if (!isObject(inputSchema) || !isObjectType(inputSchema.type)) {
    return problem(`Tool ${shown(name)} has no input schema of an object.`);
  }
  if (isNestedDeeper(value, upstreamToolDepthMax)) {
    return problem(
      `The definition of tool ${shown(name)} is deeper than ${upstreamToolDepthMax} levels.`,
    );
  }
  if (JSON.stringify(value).length > upstreamToolCharsMax) {
    return problem(
      `The definition of tool ${shown(name)} is longer than ${upstreamToolCharsMax} characters.`,
    );
  }
  // Many schemas omit the type, and mean an object.
  return {
    kind: "tool",
    tool: { ...value, name, inputSchema: { ...inputSchema, type: "object" } },
  };
}

function isObjectType(type: unknown): boolean {
  return type === undefined || type === "object";
}

function problem(text: string): ToolReading {
  return { kind: "problem", problem: text };
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
