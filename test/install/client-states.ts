import { basename } from "node:path";

import type { EditableClient } from "../../src/install/find-client.ts";
import { ownFiles } from "./client-files.ts";

/** One file of a client before scorpiox-code comes. */
export interface FileState {
  readonly name: string;
  /** Undefined: there is no file. */
  readonly text: string | undefined;
}

/** The file that a client has on this system, below the home folder or the project. */
export function usualFile({ client }: EditableClient): string {
  const files = client.files.linux.filter((path) => !path.startsWith("%"));
  const file = files.find((path) => path.startsWith("~")) ?? files[0] ?? "";
  return file.replace(/^~/, "home").replace("<project>", "project");
}

const languages: Readonly<Record<string, readonly string[]>> = {
  json: ["json", "tabs", "plain", "other", "dense"],
  toml: ["toml", "tomlOther"],
  map: ["yamlMap", "yamlEmpty", "yamlNull", "yamlOther"],
  list: ["yamlList", "yamlListFlat", "yamlNull", "yamlOther"],
};

/** No file, an empty one, and files with entries and comments of the user's own, each with both line ends. */
export function statesOf(client: EditableClient): readonly FileState[] {
  const file = basename(usualFile(client));
  const language = file.endsWith(".toml")
    ? "toml"
    : file.endsWith(".yaml")
      ? client.home.kind
      : "json";
  const [key = ""] = client.home.path;
  const own = (languages[language] ?? []).flatMap((name) => {
    const text = (ownFiles[name] ?? "").replaceAll("KEY", key);
    return [
      { name, text },
      { name: `${name}, CRLF`, text: text.replaceAll("\n", "\r\n") },
      { name: `${name}, byte order mark`, text: `\uFEFF${text}` },
    ];
  });
  return [{ name: "no file", text: undefined }, { name: "empty", text: "" }, ...own];
}

/** Texts that no parser of such a file takes. */
export function brokenText(client: EditableClient): string {
  const file = usualFile(client);
  if (file.endsWith(".toml")) return "[mcp_servers\n";
  return file.endsWith(".yaml") ? "a: [1\nb: }" : '{ "mcpServers": { ';
}
