import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Annotated pages and their scorer, beside the checkout; not part of it. */
const sharedDir = join(import.meta.dir, "../../../../shared/readdocs");

/** The scorer of the corpus. */
export const scorerFile: string = join(sharedDir, "score.ts");

export interface CorpusPage {
  readonly id: string;
  readonly url: string;
  readonly source: "aeb" | "wcxb";
  readonly type: string;
  /** The truth ends before the page does. */
  readonly partialGt?: boolean;
  readonly html: () => string;
  readonly truth: () => string;
  /** All that the scorer wants to know. */
  readonly annotation: () => unknown;
}

/** The pages of the corpus; none when it is not there. */
export function loadCorpus(): CorpusPage[] {
  const dir = join(sharedDir, "corpus");
  if (!existsSync(dir)) return [];
  const manifest = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8")) as CorpusPage[];
  return manifest.map((entry) => {
    const annotation = (): { readonly text: string } =>
      JSON.parse(readFileSync(join(dir, "gt", `${entry.id}.json`), "utf8")) as { text: string };
    return {
      ...entry,
      html: () =>
        gunzipSync(readFileSync(join(dir, "html", `${entry.id}.html.gz`))).toString("utf8"),
      truth: () => annotation().text,
      annotation,
    };
  });
}
