import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";

import { isInside } from "../../base/paths.ts";
import type { ResourceListing } from "../../protocol/resource-types.ts";
import type { SkillEntry, SkillFile } from "../../protocol/skills.ts";
import { builtInText } from "../../state/skills/built-in/built-in-skills.ts";
import { placeOf } from "../../state/skills/open-skill.ts";
import { entriesOf, listSkillFiles } from "../../state/skills/skill-files.ts";
import { isProperSkillName, type Skill } from "../../state/skills/skill.ts";
import type { ClientContext } from "../call.ts";
import type { CompletionProvider, CompletionRequest, SkillProvider } from "../features.ts";
import { matching, type SkillPrompts } from "./skill-prompts.ts";
import { mimeTypeOf } from "./skill-resources.ts";
import { readSkillUri, skillTemplates, skillUri } from "./skill-uri.ts";
import type { SkillView } from "./skill-view.ts";

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
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
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

/** Completes arguments of prompts, and the name and the path of a skill's file. */
export class SkillCompletion implements CompletionProvider {
  readonly #view: SkillView;
  readonly #prompts: SkillPrompts;

  constructor(view: SkillView, prompts: SkillPrompts) {
    this.#view = view;
    this.#prompts = prompts;
  }

  async complete(
    request: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined> {
    const { ref, argumentName, typed, others } = request;
    if (ref.kind === "prompt") return this.#prompts.complete(ref.name, request, client);
    const template = skillTemplates.find(({ uriTemplate }) => uriTemplate === ref.uriTemplate);
    if (template === undefined) return undefined;
    const { set } = await this.#view.forUse(client);
    if (argumentName === "name")
      return matching(
        set.skills.map(({ name }) => name),
        typed,
      );
    if (argumentName !== "path") return [];
    return matching(await this.#filesOf(others["name"] ?? "", client), typed);
  }

  async #filesOf(name: string, client: ClientContext): Promise<readonly string[]> {
    const { set, workspace } = await this.#view.forUse(client);
    const skill = set.byName.get(name);
    if (skill === undefined) return [];
    if (skill.folder === null) return ["SKILL.md"];
    try {
      return (await listSkillFiles(await placeOf(skill, workspace))).files;
    } catch {
      // It is gone by now.
      return [];
    }
  }
}
