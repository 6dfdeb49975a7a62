import type { SkillProvider } from "../../src/calls/features.ts";
import type { ResourceContents, ResourceListing } from "../../src/protocol/resource-types.ts";
import type { SkillEntry, SkillFile } from "../../src/protocol/skills.ts";

const rootUri = "skill://review-notes";
const skillUri = `${rootUri}/SKILL.md`;
const frontmatter = {
  name: "review-notes",
  description: "Turns the notes of a review into a list of things to do.",
};

/** One skill with a subdirectory, so that a client can walk down. */
const files: ReadonlyMap<string, string> = new Map([
  [
    skillUri,
    `---\nname: ${frontmatter.name}\ndescription: ${frontmatter.description}\n---\n\n` +
      "# Review notes\n\nRead references/tone.md, then write one line for each note.\n",
  ],
  [`${rootUri}/references/tone.md`, "# Tone\n\nShort, friendly, and in the imperative.\n"],
]);

/** The skill as a resource, for `resources/list`. */
export const skillListing: ResourceListing = {
  uri: skillUri,
  name: frontmatter.name,
  description: frontmatter.description,
  mimeType: "text/markdown",
};

/** Undefined when it is no file of the skill. */
export function readSkillFile(uri: string): ResourceContents | undefined {
  const text = files.get(uri);
  return text === undefined ? undefined : { uri, mimeType: "text/markdown", text };
}

export const fixtureSkills: SkillProvider = {
  list: () => Promise.resolve([entry]),
  directory: (uri) => Promise.resolve(childrenOf(uri)),
};

const entry: SkillEntry = {
  uri: skillUri,
  frontmatter,
  resources: [...files].map(([uri, text]) => describe(uri, text)),
};

function describe(uri: string, text: string): SkillFile {
  const bytes = new TextEncoder().encode(text);
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { uri, digest: `sha256:${digest}`, size: bytes.length };
}

/** Undefined when nothing lies below `directory`. */
function childrenOf(directory: string): readonly ResourceListing[] | undefined {
  const prefix = directory.endsWith("/") ? directory : `${directory}/`;
  const children = new Map<string, ResourceListing>();
  for (const uri of files.keys()) {
    if (!uri.startsWith(prefix)) continue;
    const [name = "", ...deeper] = uri.slice(prefix.length).split("/");
    const mimeType = deeper.length > 0 ? "inode/directory" : "text/markdown";
    children.set(name, { uri: `${prefix}${name}`, name, mimeType });
  }
  return children.size === 0 ? undefined : [...children.values()];
}
