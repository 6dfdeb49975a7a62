import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ServerTree } from "./server-tree.ts";

/**
 * `golden/<name>.in.<json|toml>` is what a file says, `golden/<name>.out.json` what is understood of it. `UPDATE_GOLDEN=1`
 * writes the latter.
 */
const folder = join(import.meta.dir, "golden");
const inputs = readdirSync(folder).filter((name) => name.includes(".in."));

const places: Readonly<Record<string, string>> = {
  json: "home/.scorpiox/mcp_servers.json",
  toml: "home/.scorpiox/config.toml",
};

/** The same as a project's file. */
const projectPlaces: Readonly<Record<string, string>> = {
  json: "project/.mcp.json",
  toml: "project/.scorpiox/config.toml",
};

function understood(input: string, byType: Readonly<Record<string, string>>): unknown {
  const place = byType[input.split(".").at(-1) ?? ""] ?? "";
  using tree = new ServerTree({ [place]: readFileSync(join(folder, input)) });
  const { servers, problems, notices } = tree.servers();
  const told = (texts: readonly string[]): string[] => texts.map((text) => tree.relative(text));
  return JSON.parse(
    JSON.stringify({
      servers: [...servers.values()].map(({ entry: { name, isEnabled, launch, options } }) => ({
        name,
        isEnabled,
        launch,
        options,
      })),
      problems: told(problems),
      notices: told(notices),
    }),
  );
}

describe("[GW-03] files of servers", () => {
  test.each(inputs)("%s", (input) => {
    const output = join(folder, input.replace(/\.in\.\w+$/, ".out.json"));
    const found = { user: understood(input, places), project: understood(input, projectPlaces) };
    // oxlint-disable-next-line no-process-env -- asked for by whoever runs the test
    if (process.env.UPDATE_GOLDEN) writeFileSync(output, `${JSON.stringify(found, null, 2)}\n`);
    expect(found).toEqual(JSON.parse(readFileSync(output, "utf8")));
  });
});
