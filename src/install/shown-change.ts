import { createTwoFilesPatch } from "diff";

import {
  hidden,
  hideInArguments,
  hideInText,
  hideInUrl,
  hideLiteral,
  isSecretName,
} from "../base/secrets.ts";
import { isObject } from "../base/values.ts";
import { readServers, setEntry } from "./edit/entry-text.ts";
import { type FileChange, textOf } from "./file-change.ts";
import type { ClientFile } from "./find-client.ts";
import { type Entry, entryName } from "./install-targets.ts";

/** The change as lines of a unified diff. It hides the secrets of every server in the file. */
export function diffLines({ client, file, before, after }: FileChange): readonly string[] {
  const [old, now] = [textOf(before), textOf(after)];
  const from = before === undefined ? "/dev/null" : file;
  const to = after === undefined ? "/dev/null" : file;
  const patch = createTwoFilesPatch(from, to, old, now, "", "", { context: 2 });
  const secrets = secretsIn([
    readServers(file, old, client.home),
    readServers(file, now, client.home),
  ]);
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, hidden), patch);
  const lines = hideInText(shown).replaceAll("\r", "").trimEnd().split("\n");
  return lines
    .filter((line) => !/^(?:={20,}|Index: )/.test(line))
    .map((line) => line.replace(/^(---|\+\+\+)(.*)\t$/, "$1$2"));
}

/** Shorter ones are words such as `on`. */
const secretCharsMin = 4;

/** As the file writes them, the longest one first. A text alone does not tell which of its words are secrets. */
function secretsIn(values: readonly unknown[]): readonly string[] {
  const found = new Set<string>();
  const keep = (secret: string): string => {
    for (const line of secret.split("\n")) {
      found.add(line).add(JSON.stringify(line).slice(1, -1)).add(line.replaceAll("'", "''"));
    }
    return hidden;
  };
  const look = (value: unknown, key: string): void => {
    if (typeof value === "string") {
      if (isSecretName(key)) hideLiteral(value, keep);
      else if (/^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(value)) hideInUrl(value, keep);
    } else if (Array.isArray(value)) {
      hideInArguments(
        value.filter((item) => typeof item === "string"),
        keep,
      );
      for (const item of value) if (typeof item !== "string") look(item, key);
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) look(inner, name);
    }
  };
  for (const value of values) look(value, "");
  return [...found]
    .filter((secret) => secret.length >= secretCharsMin)
    .sort((one, other) => other.length - one.length);
}

/** What to paste into a file of the client that could not be edited. */
export function snippetLines({ client, file }: ClientFile, entry: Entry): readonly string[] {
  return setEntry(file, "", client.home, entryName, entry).trimEnd().split("\n");
}
