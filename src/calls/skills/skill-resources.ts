import { realpath, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { sha256Hex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { skillResourceBytesMax } from "../../base/limits.ts";
import { isInside } from "../../base/paths.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ResourceListing } from "../../protocol/resource-types.ts";
import type { SkillEntry, SkillFile } from "../../protocol/skills.ts";
import { builtInText } from "../../state/skills/built-in/built-in-skills.ts";
import { placeOf, readInside, readSkillText } from "../../state/skills/open-skill.ts";
import { entriesOf } from "../../state/skills/skill-files.ts";
import { isProperSkillName, type Skill } from "../../state/skills/skill.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { Changes, ResourceProvider, ResourceReading, SkillProvider } from "../features.ts";
import { FileWatch } from "../resources/workspace-file.ts";
import {
  readSkillUri,
  shownDescription,
  skillTemplates,
  type SkillUri,
  skillUri,
} from "./skill-uri.ts";
import type { SkillView } from "./skill-view.ts";

/** The files of skills as `skill://{name}/{path}`; each skill's SKILL.md is listed. */
export class SkillResources implements ResourceProvider {
  readonly #view: SkillView;
  readonly #changes: Changes;
  readonly #files = new FileWatch();

  constructor(view: SkillView, changes: Changes) {
    this.#view = view;
    this.#changes = changes;
  }

  async list(client: ClientContext): Promise<readonly ResourceListing[]> {
    const { set } = await this.#view.forList(client);
    return set.skills.map(skillListing);
  }

  templates(): Promise<typeof skillTemplates> {
    return Promise.resolve(skillTemplates);
  }

  async read(uri: string, { client }: RequestContext): Promise<ResourceReading | undefined> {
    const named = readSkillUri(uri);
    if (named === undefined || named.path.length === 0) return undefined;
    const { set, workspace } = await this.#view.forUse(client);
    const skill = set.byName.get(named.name);
    if (skill === undefined) return undefined;
    const contents = await readFile(skill, named, workspace);
    return contents === undefined ? undefined : { contents: [{ uri, ...contents }] };
  }

  /** A file may be created later: its subscribers are notified. */
  canSubscribe(uri: string): boolean {
    const named = readSkillUri(uri);
    return named !== undefined && named.path.length > 0;
  }

  watch(uri: string, client: ClientContext): () => void {
    const named = readSkillUri(uri);
    if (named === undefined) return () => {};
    if (named.path.join("/") === "SKILL.md") {
      // Changes of lists are watched for each client that has seen one.
      void this.#view.forList(client);
      return () => {};
    }
    return this.#watchFile(uri, named, client);
  }

  #watchFile(uri: string, { name, path }: SkillUri, client: ClientContext): () => void {
    let isWanted = true;
    let end = (): void => {};
    void this.#view.forUse(client).then(({ set }) => {
      const folder = set.byName.get(name)?.folder;
      if (!isWanted || typeof folder !== "string") return;
      const change = { kind: "resource", uri, clientId: client.id, isSeenByAll: true } as const;
      const tell = (): void => this.#changes.emit(change);
      end = this.#files.watch(join(folder, ...path), tell);
    });
    return () => {
      isWanted = false;
      end();
    };
  }
}

type Contents = { readonly mimeType: string } & (
  { readonly text: string } | { readonly blob: string }
);

async function readFile(
  skill: Skill,
  { path }: SkillUri,
  workspace: string | undefined,
): Promise<Contents | undefined> {
  if (skill.folder === null) {
    const isText = path.join("/") === "SKILL.md";
    return isText
      ? { mimeType: "text/markdown", text: await readSkillText(skill, workspace) }
      : undefined;
  }
  try {
    const folder = await placeOf(skill, workspace);
    const file = join(folder, ...path);
    const { bytes, size } = await readInside(file, folder, skillResourceBytesMax);
    if (size > skillResourceBytesMax) {
      const message = `${path.join("/")} of ${skill.name} has ${size} bytes: at most ${skillResourceBytesMax} are read. Read the file itself: ${file}`;
      throw new FaultError(createFault(errorCodes.invalidParams, message));
    }
    return contentsOf(file, bytes);
  } catch (error) {
    // A path that leads out, or is not a regular file, does not exist for a client.
    const isAbsent = error instanceof AppError && ["not_found", "refused"].includes(error.code);
    if (isAbsent) return undefined;
    throw error;
  }
}

function contentsOf(file: string, bytes: Uint8Array): Contents {
  const mimeType = mimeTypeOf(file);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return { mimeType, text };
  } catch {
    // It is not text.
  }
  return { mimeType, blob: Buffer.from(bytes).toString("base64") };
}

/** The MIME type of a file by its name alone, without parameters. */
function mimeTypeOf(file: string): string {
  if (extname(file).toLowerCase() === ".md") return "text/markdown";
  return Bun.file(file).type.split(";")[0] ?? "application/octet-stream";
}

function skillListing(skill: Skill): ResourceListing {
  const { name } = skill;
  const shown = shownDescription(skill);
  return {
    uri: skillUri(name),
    name,
    title: `Skill ${name}`,
    ...(shown === "" ? {} : { description: shown }),
    mimeType: "text/markdown",
  };
}

/** The skills extension (docs/spec/modern.md#skills): skills whose front matter says what the extension demands. */
export class SkillEntries implements SkillProvider {
  readonly #view: SkillView;

  constructor(view: SkillView) {
    this.#view = view;
  }

  async list(client: ClientContext): Promise<readonly SkillEntry[]> {
    const { set } = await this.#view.forList(client);
    return set.skills.filter(isProper).map(entryOf);
  }

  async directory(
    uri: string,
    client: ClientContext,
  ): Promise<readonly ResourceListing[] | undefined> {
    const named = readSkillUri(uri.replace(/\/$/, ""));
    if (named === undefined) return undefined;
    const { set, workspace } = await this.#view.forUse(client);
    const skill = set.byName.get(named.name);
    if (skill === undefined) return undefined;
    if (skill.folder !== null) return childrenOf(skill, named.path, workspace);
    return named.path.length === 0 ? [fileListing(skill.name, "", "SKILL.md")] : undefined;
  }
}

function isProper({ name, frontMatter }: Skill): boolean {
  const { description } = frontMatter;
  return (
    isProperSkillName(name) &&
    frontMatter["name"] === name &&
    typeof description === "string" &&
    description !== ""
  );
}

/** Files on the disk may change between two looks, so only those that are built in have digests. */
function entryOf({ name, frontMatter, folder }: Skill): SkillEntry {
  const uri = skillUri(name);
  const text = folder === null ? builtInText(name) : undefined;
  return {
    uri,
    frontmatter: frontMatter,
    resources: text === undefined ? "dynamic" : [describe(uri, text)],
  };
}

function describe(uri: string, text: string): SkillFile {
  const bytes = new TextEncoder().encode(text);
  const digest = sha256Hex(bytes);
  return { uri, digest: `sha256:${digest}`, size: bytes.length };
}

async function childrenOf(
  skill: Skill,
  path: readonly string[],
  workspace: string | undefined,
): Promise<readonly ResourceListing[] | undefined> {
  const real = await realDirectory(skill, path, workspace);
  if (real === undefined) return undefined;
  const entries = await entriesOf(real);
  const prefix = path.map((part) => `${part}/`).join("");
  return entries.map((entry) =>
    entry.isDirectory()
      ? {
          uri: skillUri(skill.name, `${prefix}${entry.name}`),
          name: entry.name,
          mimeType: "inode/directory",
        }
      : fileListing(skill.name, prefix, entry.name),
  );
}

/** Undefined when it is not a folder, or leads out of the skill's. */
async function realDirectory(
  skill: Skill,
  path: readonly string[],
  workspace: string | undefined,
): Promise<string | undefined> {
  try {
    const folder = await placeOf(skill, workspace);
    const real = await realpath(join(folder, ...path));
    return isInside(real, folder) && (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function fileListing(skillName: string, prefix: string, name: string): ResourceListing {
  return { uri: skillUri(skillName, `${prefix}${name}`), name, mimeType: mimeTypeOf(name) };
}
