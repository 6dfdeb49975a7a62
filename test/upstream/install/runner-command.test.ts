import { expect, test } from "bun:test";

import { isExactVersion, readRunner } from "../../../src/upstream/install/runner-command.ts";

/** In the order of a table: the command, what is fetched, and how. */
function fetched(line: string): string | undefined {
  const [command = "", ...args] = line.split(" ");
  const found = readRunner(command, args);
  if (found === undefined) return undefined;
  return `${found.packages.join(" ")}: ${found.fetch.join(" ")}`;
}

const print = `node -p "JSON.stringify(process['env'])"`;

test.each<[string, string | undefined]>([
  ["npx -y pkg a b", `pkg: -y --loglevel=http --package=pkg -c ${print}`],
  ["/usr/bin/npx pkg", `pkg: --loglevel=http --package=pkg -c ${print}`],
  [
    "npx.cmd -y @s/pkg@1.2.3 --flag",
    `@s/pkg@1.2.3: -y --loglevel=http --package=@s/pkg@1.2.3 -c ${print}`,
  ],
  [
    "npx -y --registry https://r.example pkg",
    `pkg: -y --registry https://r.example --loglevel=http --package=pkg -c ${print}`,
  ],
  ["npx -p a --package=b server x", `a b: --loglevel=http --package=a --package=b -c ${print}`],
  ["npx -p a -c server", `a: --loglevel=http --package=a -c ${print}`],
  ["npm exec -y pkg", `pkg: exec -y --loglevel=http --package=pkg -c ${print}`],
  ["npm x -- pkg -v", `pkg: x --loglevel=http --package=pkg -c ${print}`],
  ["npx -c server", undefined],
  ["npx --no-install pkg", undefined],
  ["npx --no pkg", undefined],
  ["npx", undefined],
  ["npm start", undefined],
  ["bunx --bun pkg@1 a", "pkg@1: --package=pkg@1 node -e 0"],
  ["bun x pkg", "pkg: x --package=pkg node -e 0"],
  ["bunx --package a b", "a: --package=a node -e 0"],
  ["bun run server.ts", undefined],
  ["pnpm dlx pkg a", "pkg: dlx --package=pkg node -e 0"],
  ["pnpx --package=a b", "a: --package=a node -e 0"],
  ["pnpm start", undefined],
  ["yarn dlx -q pkg a", "pkg: dlx -p pkg scorpiox-code-fetches-only"],
  ["uvx mcp-server-time --tz x", "mcp-server-time: --from mcp-server-time python -c 0"],
  ["uvx --python 3.12 tool@1.2", "tool@1.2: --python 3.12 --from tool==1.2 python -c 0"],
  [
    "uvx --from git+https://x.example/y tool",
    "git+https://x.example/y: --from git+https://x.example/y python -c 0",
  ],
  ["uv tool run tool@latest", "tool@latest: tool run --from tool python -c 0"],
  ["uv run server.py", undefined],
  ["pipx run tool", "tool: run --spec tool python -c 0"],
  ["pipx run --spec a==1 tool", "a==1: run --spec a==1 python -c 0"],
  ["pipx install tool", undefined],
  ["docker run -i --rm -e TOKEN mcp/github stdio", "mcp/github: pull mcp/github"],
  ["docker run -i --platform linux/amd64 -v /a:/b x:1", "x:1: pull --platform linux/amd64 x:1"],
  ["podman run --rm -i x@sha256:ab", "x@sha256:ab: pull x@sha256:ab"],
  ["docker run --pull never x", undefined],
  ["docker exec c server", undefined],
  ["node server.js", undefined],
])("readRunner() of %s", (line, expected) => {
  expect(fetched(line)).toBe(expected);
});

test.each<[string, object | undefined]>([
  ["npx -y pkg -a b", { spec: "pkg", name: "pkg", range: "*", args: ["-a", "b"] }],
  ["npx @s/pkg@1.2.3", { spec: "@s/pkg@1.2.3", name: "@s/pkg", range: "1.2.3", args: [] }],
  ["npx pkg@^1", { spec: "pkg@^1", name: "pkg", range: "^1", args: [] }],
  ["npm exec -- pkg -v", { spec: "pkg", name: "pkg", range: "*", args: ["-v"] }],
  // npm takes the option for itself.
  ["npm exec pkg -v", undefined],
  ["npx pkg@latest", undefined],
  ["npx pkg@next", undefined],
  ["npx pkg@npm:other", undefined],
  ["npx github:a/b", undefined],
  ["npx a/b", undefined],
  ["npx ./folder", undefined],
  ["npx https://x.example/a.tgz", undefined],
  ["npx -p pkg server", undefined],
  ["npx -p pkg -c server", undefined],
  ["bunx pkg", undefined],
])("readRunner(), whether %s can be started without its runner", (line, expected) => {
  const [command = "", ...args] = line.split(" ");
  expect(readRunner(command, args)?.npx).toEqual(expected as never);
});

test.each([
  ["1.2.3", true],
  ["v1.2.3", true],
  ["1.2.3-rc.1", true],
  ["2026.8.31", true],
  ["1.2", false],
  ["^1.2.3", false],
  ["*", false],
])("isExactVersion(%s)", (range, expected) => {
  expect(isExactVersion(range)).toBe(expected);
});
