import { join, resolve } from "node:path";

import { hideInArguments, hideInUrl, isSecretName } from "../../base/secrets.ts";
import { secretCommandKeptMs } from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { runSecretCommand } from "../secrets/run-secret-command.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import { checkUrl } from "./entry-launch.ts";
import {
  type ConfiguredServer,
  EntryFault,
  type HttpLaunch,
  type ServerLaunch,
  type StdioLaunch,
} from "./server-entry.ts";
import { expandServiceClient, expandTradeClient } from "./service-client.ts";
import { type ExpansionContext, NeedsConfig, TextExpander } from "./text-expander.ts";

export type ExpandedLaunch =
  | {
      readonly kind: "ready";
      /** The `cwd` of a stdio launch is always present and absolute. */
      readonly launch: ServerLaunch;
      /** Texts that must not appear anywhere: see `redactSecrets`. */
      readonly secrets: readonly string[];
    }
  /** `text` is a sentence: it names the missing value and the remedy. It has no secret in it. */
  | { readonly kind: "needs_config"; readonly variable: string; readonly text: string };

/**
 * Fills in the references of a launch (CF14–CF16), and checks that a login without a person has the values that it
 * needs. For a project's server, call it only after the approval (CN7). The result never contains the literal text of a
 * reference. Rejects only when the context breaks its contract.
 */
export async function expandLaunch(
  server: ConfiguredServer,
  context: ExpansionContext,
): Promise<ExpandedLaunch> {
  const expander = new TextExpander(server, context);
  const { launch, options } = server.entry;
  try {
    if (launch.transport === "stdio") {
      const expanded = await expandStdio(launch, expander, context);
      return { kind: "ready", launch: expanded, secrets: secretsOf(expanded, expander) };
    }
    const expanded = await expandHttp(launch, expander);
    const { oauth } = options;
    const trader =
      oauth?.perUser?.trade === undefined
        ? undefined
        : (await expandTradeClient(oauth, expander, context)).client;
    const client =
      oauth?.service === undefined ? trader : await expandServiceClient(oauth, expander, context);
    const secrets = new Set([...secretsOf(expanded, expander), ...(client?.secrets ?? [])]);
    return { kind: "ready", launch: expanded, secrets: [...secrets] };
  } catch (error) {
    if (!(error instanceof NeedsConfig)) throw error;
    return { kind: "needs_config", variable: error.variable, text: error.message };
  }
}

async function expandStdio(
  launch: StdioLaunch,
  expander: TextExpander,
  { homeDir, projectDir }: ExpansionContext,
): Promise<StdioLaunch> {
  const atHome = (text: string): string =>
    /^~(?:[/\\]|$)/.test(text) ? join(homeDir, text.slice(1)) : text;
  // Filled-in values are trimmed like written ones (CF13).
  const command = atHome((await expander.expand(launch.command)).trim());
  if (command === "")
    throw new NeedsConfig("command", "Its command is empty once it is filled in.");
  const args: string[] = [];
  for (const arg of launch.args) args.push(await expander.expand(arg));
  const env: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(launch.env)) env[name] = await expander.expand(value);
  for (const text of [command, ...args, ...Object.values(env)]) {
    if (text.includes("\0"))
      throw new NeedsConfig("command", "A value that is filled in has a NUL character.");
  }
  const cwd = resolve(projectDir ?? homeDir, atHome(await expander.expand(launch.cwd ?? ".")));
  return { transport: "stdio", command, args, env, cwd };
}

async function expandHttp(launch: HttpLaunch, expander: TextExpander): Promise<HttpLaunch> {
  const url = (await expander.expand(launch.url)).trim();
  try {
    checkUrl(url);
  } catch (error) {
    if (!(error instanceof EntryFault)) throw error;
    throw new NeedsConfig("url", `It ${error.message} once it is filled in.`);
  }
  const headers: Record<string, string> = Object.create(null);
  for (const [name, written] of Object.entries(launch.headers)) {
    // A secret that was pasted or read from a file often ends with a line break.
    const value = (await expander.expand(written)).trim();
    if (/[\r\n\0]/.test(value)) {
      throw new NeedsConfig(
        `headers.${name.slice(0, 60)}`,
        `The header ${name.slice(0, 60)} has a line break once it is filled in.`,
      );
    }
    headers[name] = value;
  }
  return { transport: "http", url, headers };
}

function secretsOf(launch: ServerLaunch, { secrets }: TextExpander): readonly string[] {
  const named =
    launch.transport === "http"
      ? Object.values(launch.headers).flatMap(withoutScheme)
      : Object.entries(launch.env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  const all = [...secrets, ...named, ...passwordsOf(launch), ...writtenSecrets(launch)];
  return [...new Set(all)].filter((text) => text !== "");
}

/** Texts in the launch itself that look like secrets: a server that repeats its own arguments must not show them. */
function writtenSecrets(launch: ServerLaunch): readonly string[] {
  const found: string[] = [];
  const collect = (secret: string): string => {
    // Without the quotes that a shell takes off. A plain word, as in `--auth none`, also appears in unrelated texts.
    const text = secret.replaceAll(/^["']|["']$/g, "");
    if (text.length >= guessedCharsMin && !/^[a-z]+(?:[-_ ][a-z]+)*$/i.test(text)) found.push(text);
    return "";
  };
  if (launch.transport === "http") hideInUrl(launch.url, collect);
  else hideInArguments([...launch.args, ...Object.values(launch.env)], collect);
  return found;
}

/** Shorter texts that only look like secrets are names and numbers. */
const guessedCharsMin = 8;

/** Servers that repeat a token in an error omit its scheme. */
function withoutScheme(value: string): readonly string[] {
  const [, token] = /^(?:bearer|basic|token)\s+(.+)$/i.exec(value) ?? [];
  return token === undefined ? [value] : [value, token];
}

function passwordsOf(launch: ServerLaunch): readonly string[] {
  if (launch.transport === "stdio") return [];
  const { password } = new URL(launch.url);
  return [password, decode(password)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The sources from which references are filled in, for this user and this project.
 * @param dirs whose project may change later
 * @param signal ends running commands
 */
export function createExpansion(
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
  env: Environment,
  secrets: SecretStore,
  signal?: AbortSignal,
): ExpansionContext {
  const { homeDir } = dirs;
  const cwd = dirs.projectDir ?? homeDir;
  const outputs = new KeptOutputs((command) => runSecretCommand(command, { env, cwd, signal }));
  return {
    env,
    homeDir,
    get projectDir() {
      return dirs.projectDir;
    },
    secrets,
    runCommand: outputs.get,
  };
}

interface Kept {
  readonly at: number;
  readonly output: Promise<string>;
}

/** Runs the commands of `${cmd:…}`, each once in ten minutes; a command that failed runs again the next time. */
export class KeptOutputs {
  readonly #run: (command: string) => Promise<string>;
  readonly #clock: () => number;
  readonly #kept = new Map<string, Kept>();

  /** @param clock milliseconds that never go back */
  constructor(run: (command: string) => Promise<string>, clock = () => performance.now()) {
    this.#run = run;
    this.#clock = clock;
  }

  /** @throws the error of the command */
  readonly get = (command: string): Promise<string> => {
    const now = this.#clock();
    for (const [each, { at }] of this.#kept) {
      if (now >= at + secretCommandKeptMs) this.#kept.delete(each);
    }
    const known = this.#kept.get(command);
    if (known !== undefined) return known.output;
    const kept = { at: now, output: this.#run(command) };
    this.#kept.set(command, kept);
    kept.output.catch(() => {
      if (this.#kept.get(command) === kept) this.#kept.delete(command);
    });
    return kept.output;
  };
}
