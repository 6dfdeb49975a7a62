import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { HttpServer } from "./harness/http-server.ts";
import { builtTools } from "./harness/built-tools.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { type ServerMessage, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const token = "laptop-0123456789abcdef";
const home = new TempFolder();
let http: HttpServer;
beforeAll(async () => {
  http = await HttpServer.start({ tokens: [token] });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

type Row = readonly [era: string, transport: string];

/** Each start of the Inspector takes 0.4 s: the suite has each era once, that of sessions with the call below. */
const rows: readonly Row[] = [
  ["auto", "http"],
  ["modern", "stdio"],
  ...onlyLong([
    ["legacy", "stdio"],
    ["legacy", "http"],
    ["auto", "stdio"],
    ["modern", "http"],
  ] as const),
];

/** The Inspector's result for a method, from the compiled server. */
async function inspect(era: string, transport: string, ...args: string[]): Promise<unknown> {
  const launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  const target =
    transport === "stdio"
      ? [productBinary]
      : [http.url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const flags = ["--protocol-era", era, "--format", "json"];
  const child = Bun.spawn(
    [process.execPath, join(root, launcher), "--cli", ...target, ...args, ...flags],
    {
      cwd: home.path,
      // Its catalogue is in the user's home otherwise.
      env: { ...testEnvironment(home.path), MCP_CATALOG_PATH: home.at("catalogue.json") },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 15_000,
    },
  );
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`the Inspector failed: ${err}${out}`);
  const { result } = JSON.parse(out) as { result: Record<string, unknown> };
  return result;
}

test.each(rows)(
  "[clients.inspector-cli] %s over %s: lists tools, portable ones",
  async (era, transport) => {
    const list = await inspect(era, transport, "--method", "tools/list", "--strict");
    expect(list).toMatchObject({ tools: builtTools.map((name) => ({ name })) });
  },
);

/** What calls differ in was seen with the lists. */
const ends: readonly Row[] = [["legacy", "stdio"], ...onlyLong<Row>([["modern", "http"]])];
test.each(ends)("[clients.inspector-cli] %s over %s: calls a tool", async (era, transport) => {
  const args = ["--tool-args-json", '{"command":"echo inspected"}'];
  const call = ["--method", "tools/call", "--tool-name", "Bash", ...args];
  const result = await inspect(era, transport, ...call);
  expect(result).toMatchObject({ content: [{ type: "text" }], isError: false });
  expect(textOf({ result } as ServerMessage)).toBe("inspected\n");
});
