import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { AppError } from "../base/errors.ts";
import type { ConfigDirs } from "../config/places.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import {
  filesOfClient,
  type ImportClient,
  importClients,
} from "../upstream/import/client-files.ts";
import { type InstallTarget, installTargets } from "./install-targets.ts";

/** The machine on which clients are looked for. */
export interface Machine {
  readonly dirs: Pick<ConfigDirs, "homeDir" | "projectDir">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A client whose file can be edited. */
export interface EditableClient extends InstallTarget {
  readonly title: string;
  readonly client: ImportClient;
}

/** The file of a client that is to be edited. */
export interface ClientFile {
  readonly client: EditableClient;
  /** Absolute. */
  readonly file: string;
  /** All files that the client might read, for messages. */
  readonly searched: readonly string[];
  /** False: there is no sign of the client on this machine. */
  readonly isThere: boolean;
}

export type Scope = "user" | "project";

export const editableClients: readonly EditableClient[] = installTargets.map((target) => {
  const client = importClients.find(({ id }) => id === target.id);
  if (client === undefined) throw new Error(`no client ${target.id}`);
  return { ...target, client, title: client.title };
});

/** @throws {AppError} `not_found`, with the clients that there are */
export function clientNamed(word: string): EditableClient {
  const found = editableClients.find(({ id }) => id === word.toLowerCase());
  if (found !== undefined) return found;
  const ids = editableClients.map(({ id }) => id);
  const known = `Clients: ${ids.join(", ")}`;
  throw new AppError("not_found", `${word} is not a known client.${meantBy(word, ids)} ${known}`);
}

/** The ids of which the word has a part, or that have a part of it: `claude`, `gemini-cli`. */
function meantBy(word: string, ids: readonly string[]): string {
  const [wanted, ...plain] = [word, ...ids].map((each) =>
    each.toLowerCase().replaceAll(/[^a-z\d]/g, ""),
  );
  const isPart = (one = "", other = ""): boolean => one.length > 2 && other.includes(one);
  const same = ids[plain.indexOf(wanted ?? "")];
  if (same !== undefined) return ` Did you mean ${same}?`;
  const meant = ids.filter(
    (_, index) => isPart(wanted, plain[index]) || isPart(plain[index], wanted),
  );
  const [last] = meant.slice(-1);
  if (last === undefined) return suggestionFor(word, ids);
  const others = meant.slice(0, -1).join(", ");
  return ` Did you mean ${others === "" ? last : `${others} or ${last}`}?`;
}

/**
 * The file that the client really reads: of its candidates the existing one with the highest precedence, else the one whose
 * folder, which the client makes, exists, or which it would make. Undefined when it has no file in that scope.
 */
export function fileOfClient(
  client: EditableClient,
  scope: Scope,
  machine: Machine,
): ClientFile | undefined {
  const candidates = candidatesOf(client, scope, machine);
  const last = candidates.at(-1);
  if (last === undefined) return undefined;
  const existing = candidates.findLast((file) => existsSync(file));
  const sign = candidates.findLast((file) => existsSync(signOf(file, client, machine)));
  // Of two names in one folder the first is the usual one; the other one shadows it where it exists.
  const signed = candidates.find((file) => sign !== undefined && dirname(file) === dirname(sign));
  const { programs = [] } = client;
  const hasProgram = programs.some(
    (program) => Bun.which(program, { PATH: machine.env["PATH"] ?? "" }) !== null,
  );
  const isThere =
    existing !== undefined || signed !== undefined || scope === "project" || hasProgram;
  const usual = candidates.find((file) => dirname(file) === dirname(last)) ?? last;
  return { client, file: existing ?? signed ?? usual, searched: candidates, isThere };
}

/** Lowest precedence first. A variable that moves the client's folder leaves no other candidate. */
function candidatesOf(client: EditableClient, scope: Scope, machine: Machine): readonly string[] {
  const { dirs, env, platform } = machine;
  const system = platform === "darwin" || platform === "win32" ? platform : "linux";
  const isOfProject = (path: string): boolean => path.startsWith("<project>");
  const wanted = client.client.files[system].filter(
    (path) => isOfProject(path) === (scope === "project"),
  );
  const moved = wanted.filter((path) => {
    const variable = /^%(\w+_(?:DIR|HOME))%/.exec(path)?.[1];
    return variable !== undefined && (env[variable] ?? "") !== "";
  });
  const used = moved.length > 0 ? moved : wanted;
  const files = { darwin: used, win32: used, linux: used };
  return filesOfClient({ ...client.client, files }, dirs, env, platform);
}

function signOf(file: string, { signs }: EditableClient, { dirs }: Machine): string {
  const [sign] = signs ?? [];
  return sign === undefined ? dirname(file) : resolve(dirs.homeDir, sign.replace(/^~\//, ""));
}
