import { createTwoFilesPatch } from "diff";

import { hideInText } from "../base/secrets.ts";
import { setEntry } from "./edit/entry-text.ts";
import { type FileChange, textOf } from "./file-change.ts";
import type { ClientFile } from "./find-client.ts";
import { type Entry, entryName } from "./install-targets.ts";

/** The change as lines of a unified diff. Tokens in the lines around it are not shown. */
export function diffLines({ file, before, after }: FileChange): readonly string[] {
  const [old, now] = [textOf(before), textOf(after)];
  const from = before === undefined ? "/dev/null" : file;
  const to = after === undefined ? "/dev/null" : file;
  const patch = createTwoFilesPatch(from, to, old, now, "", "", { context: 2 });
  const lines = hideInText(patch).replaceAll("\r", "").trimEnd().split("\n");
  return lines
    .filter((line) => !/^(?:={20,}|Index: )/.test(line))
    .map((line) => line.replace(/^(---|\+\+\+)(.*)\t$/, "$1$2"));
}

/** What to paste into a file of the client that could not be edited. */
export function snippetLines({ client, file }: ClientFile, entry: Entry): readonly string[] {
  return setEntry(file, "", client.home, entryName, entry).trimEnd().split("\n");
}
