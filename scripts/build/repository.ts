import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What stands in `package.json` for an owner that nobody has named yet. */
const placeholder = "OWNER";
const pattern = /^github:([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)\/([A-Za-z0-9._-]+)$/;

/**
 * Where releases come from, as `owner/name`: `repository` of `package.json`, the one place that names it.
 * @param environment GitHub's `GITHUB_REPOSITORY` has to agree where it is set
 * @throws Error with one line for a person when it is not named yet, or another one is built here
 */
export function requireRepository(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { repository } = z.object({ repository: z.string() }).parse(JSON.parse(text));
  const [, owner, name] = pattern.exec(repository) ?? [];
  if (owner === undefined || name === undefined) {
    throw new Error(`"repository" of package.json is "${repository}", not "github:owner/name"`);
  }
  if (owner === placeholder) {
    throw new Error(
      `"repository" of package.json is the placeholder "${repository}": put in who releases this, then build the release`,
    );
  }
  const here = environment["GITHUB_REPOSITORY"];
  if (here !== undefined && here !== "" && here !== `${owner}/${name}`) {
    throw new Error(
      `"repository" of package.json is "${repository}", but this is a build of ${here}: a release installs from where package.json says`,
    );
  }
  return `${owner}/${name}`;
}
