import { messageOf } from "../../base/errors.ts";
import { isSecretName } from "../../base/secrets.ts";
import { expandedTextCharsMax, expansionDepthMax } from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { ConfiguredServer, ServerLaunch } from "./server-entry.ts";

/** The sources from which references are filled in. */
export interface ExpansionContext {
  readonly env: Environment;
  readonly homeDir: string;
  /** Undefined where there is no project. */
  readonly projectDir?: string | undefined;
  readonly secrets: SecretStore;
  /**
   * Runs the command of `${cmd:…}` and returns its stdout, with time and size bounded by the implementation. Absent:
   * such references are refused.
   * @throws with a message that has no secret in it
   */
  readonly runCommand?: (command: string) => Promise<string>;
}

/**
 * The name under which the store keeps the value that the user has entered for `${input:NAME}`. A value entered for a
 * project's launch belongs to that launch alone: another launch must not get it by naming it.
 */
function inputSecretName(name: string, trust: "user" | "project", identity: string): string {
  return trust === "user" ? `input/${name}` : `input/${identity.slice(0, 16)}/${name}`;
}

/** A variable or secret that a launch names is missing or cannot be used. Never leaves this folder. */
export class NeedsConfig extends Error {
  override readonly name = "NeedsConfig";

  /**
   * @param variable as written, without `${}`
   * @param message a sentence: the missing value and the remedy
   */
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Placeholders for `${principal}` and `${principalDir}` when an entry is read: the principal of a connection is known
 * only when it is opened. They use characters that no configuration file has.
 */
export const principalMarks = {
  principal: "\u{E000}principal\u{E000}",
  principalDir: "\u{E000}principalDir\u{E000}",
} as const;

/** Whether a launch, as written, differs between principals. */
export function namesPrincipal(launch: ServerLaunch): boolean {
  return /\$\{principal(?:Dir)?(?::-|\})/.test(JSON.stringify(launch));
}

type Reference = Exclude<TextPart, { readonly kind: "literal" }>;

/** Fills in the references of one server's launch, and remembers which of the values are secret. */
export class TextExpander {
  readonly secrets = new Set<string>();
  readonly #server: ConfiguredServer;
  readonly #context: ExpansionContext;
  /** A command runs once, and the keychain asks once, however often a launch names them. */
  readonly #known = new Map<string, Promise<string>>();

  constructor(server: ConfiguredServer, context: ExpansionContext) {
    this.#server = server;
    this.#context = context;
  }

  /** @throws NeedsConfig */
  async expand(text: string, depth = 0): Promise<string> {
    const parts = parseReferences(text);
    let result = "";
    for (const part of parts) {
      result += part.kind === "literal" ? part.text : await this.#valueOf(part, depth);
      if (result.length > expandedTextCharsMax) {
        throw new NeedsConfig(nameOf(part), `${nameOf(part)} makes a text that is too long.`);
      }
    }
    return result;
  }

  async #valueOf(reference: Reference, depth: number): Promise<string> {
    switch (reference.kind) {
      case "variable":
        return this.#variable(reference, depth);
      case "keyring":
      case "input":
      case "cmd":
        return this.#secret(reference.kind, reference.name);
      case "fault": {
        const written = reference.written.slice(0, 60);
        throw new NeedsConfig(
          written,
          `${written} is not a valid reference: write \${VAR}, \${VAR:-default}, \${keyring:NAME}, \${input:NAME} or \${cmd:…}, and $\${ for the characters themselves.`,
        );
      }
    }
  }

  async #variable(
    { name, whenUnset }: Extract<TextPart, { kind: "variable" }>,
    depth: number,
  ): Promise<string> {
    const value = this.#builtIn(name) ?? this.#ofEnvironment(name);
    if (value !== undefined && (value !== "" || whenUnset === undefined)) {
      if (isSecretName(name)) this.#refuseOurs(name);
      if (isSecretName(name)) this.secrets.add(value);
      return value;
    }
    if (whenUnset === undefined) {
      throw new NeedsConfig(
        name,
        `The variable ${name} is not set where scorpiox-code runs; set it there, or write \${${name}:-default}.`,
      );
    }
    if (depth >= expansionDepthMax) {
      throw new NeedsConfig(
        name,
        `The default of ${name} has too many references inside each other.`,
      );
    }
    return this.expand(whenUnset, depth + 1);
  }

  #builtIn(name: string): string | undefined {
    const { homeDir, projectDir } = this.#context;
    if (name === "userHome") return homeDir;
    if (name === "principal" || name === "principalDir") return principalMarks[name];
    if (name === "CLAUDE_PROJECT_DIR") return this.#ofEnvironment(name) ?? projectDir;
    if (name !== "workspaceFolder") return undefined;
    if (projectDir !== undefined) return projectDir;
    throw new NeedsConfig(name, "There is no project here, and so no workspaceFolder.");
  }

  #ofEnvironment(name: string): string | undefined {
    const { env } = this.#context;
    return Object.hasOwn(env, name) ? env[name] : undefined;
  }

  /** A project must not have scorpiox-code's own tokens sent to an address of its choice, approved or not. */
  #refuseOurs(name: string): void {
    // On Windows, names of variables ignore letter case.
    if (this.#server.entry.origin.trust === "user" || !/^SCORPIOX_/i.test(name)) return;
    throw new NeedsConfig(name, `The variable ${name} is not given to a project's server.`);
  }

  #secret(kind: "keyring" | "input" | "cmd", name: string): Promise<string> {
    const key = `${kind}:${name}`;
    const known = this.#known.get(key) ?? this.#askFor(kind, name, key);
    this.#known.set(key, known);
    return known;
  }

  async #askFor(kind: "keyring" | "input" | "cmd", name: string, key: string): Promise<string> {
    const { trust } = this.#server.entry.origin;
    if (trust === "project" && kind !== "input") {
      throw new NeedsConfig(
        key,
        `\${${key}} is not filled in for a project's file; add the server to your own configuration (scorpiox-code mcp add --scope user).`,
      );
    }
    const value = kind === "cmd" ? await this.#output(name) : await this.#stored(kind, name, key);
    this.secrets.add(value);
    return value;
  }

  async #output(command: string): Promise<string> {
    const { runCommand } = this.#context;
    if (runCommand === undefined) throw new NeedsConfig("cmd", "${cmd:…} cannot be run here.");
    try {
      const output = (await runCommand(command)).replace(/\r?\n$/, "");
      if (output !== "") return output;
    } catch (error) {
      throw new NeedsConfig(
        `cmd:${command}`,
        `The command of \${cmd:…} failed: ${messageOf(error)}`,
      );
    }
    throw new NeedsConfig(`cmd:${command}`, "The command of ${cmd:…} wrote nothing to stdout.");
  }

  async #stored(kind: "keyring" | "input", name: string, key: string): Promise<string> {
    const { entry, identity } = this.#server;
    const stored = kind === "keyring" ? name : inputSecretName(name, entry.origin.trust, identity);
    let value: string | undefined;
    try {
      value = await this.#context.secrets.get(stored);
    } catch (error) {
      throw new NeedsConfig(key, `The secret ${stored} cannot be read: ${messageOf(error)}`);
    }
    if (value !== undefined && value !== "") return value;
    throw new NeedsConfig(
      key,
      `The secret ${stored} is not there; set it with: scorpiox-code mcp secrets set ${stored}`,
    );
  }
}

function nameOf(part: TextPart): string {
  if (part.kind === "literal") return "the text";
  return part.kind === "fault" ? part.written.slice(0, 60) : part.name;
}

/** A part of a text that may have references to variables (CF14). */
type TextPart =
  | { readonly kind: "literal"; readonly text: string }
  /** `${VAR}` or `${VAR:-default}`; the default is not parsed yet. */
  | { readonly kind: "variable"; readonly name: string; readonly whenUnset?: string }
  /** `${keyring:NAME}`, `${input:NAME}`, `${cmd:…}`. */
  | { readonly kind: "keyring" | "input" | "cmd"; readonly name: string }
  /** A `${…}` that is not one of these, or is not closed. */
  | { readonly kind: "fault"; readonly written: string };

/** Cuts `text` into literal parts and references. `$${` is a literal `${`. Never throws; takes one pass. */
export function parseReferences(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = "";
  let index = 0;
  const endLiteral = (): void => {
    if (literal !== "") parts.push({ kind: "literal", text: literal });
    literal = "";
  };
  while (index < text.length) {
    const next = text.indexOf("$", index);
    if (next === -1) break;
    literal += text.slice(index, next);
    if (text.startsWith("$${", next)) {
      literal += "${";
      index = next + 3;
    } else if (text.startsWith("${", next)) {
      endLiteral();
      const end = closingBrace(text, next + 2);
      if (end === -1) return [...parts, { kind: "fault", written: text.slice(next) }];
      parts.push(referenceOf(text.slice(next + 2, end)));
      index = end + 1;
    } else {
      literal += "$";
      index = next + 1;
    }
  }
  literal += text.slice(index);
  endLiteral();
  return parts;
}

/** The index of the brace that closes one opened before `start`; nested braces are matched. */
function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let index = start; index < text.length; index++) {
    if (text[index] === "{") depth++;
    if (text[index] === "}" && --depth === 0) return index;
  }
  return -1;
}

function referenceOf(inner: string): TextPart {
  const [, form, rest] = /^(keyring|input|cmd):([^]*)$/.exec(inner) ?? [];
  if ((form === "keyring" || form === "input") && /^[\w.@/ -]{1,128}$/.test(rest ?? "")) {
    return { kind: form, name: rest ?? "" };
  }
  if (form === "cmd" && rest?.trim()) return { kind: "cmd", name: rest };
  const [, name, , whenUnset] = /^(?:env:)?([A-Za-z_][\w()]{0,127})(:-([^]*))?$/.exec(inner) ?? [];
  if (name === undefined) return { kind: "fault", written: `\${${inner}}` };
  return { kind: "variable", name, ...(whenUnset !== undefined && { whenUnset }) };
}
