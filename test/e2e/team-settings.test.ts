import { expect, setDefaultTimeout, test } from "bun:test";

import { HttpServer } from "./harness/http-server.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { toolNames } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const reader = "reader-0123456789abcdef";
/** `--http` without an address. */
const address = "";

test("[team.settings] a server takes all that it needs from http.toml, and a variable before it", async () => {
  using home = new TempFolder();
  home.write(".scorpiox/tokens.txt", `laptop ${laptop}\nreader ${reader} tools:read\n`, 0o600);
  home.write(
    ".scorpiox/http.toml",
    'listen = "127.0.0.1:0"\npath = "/file"\ntoken_file = "tokens.txt"\n' +
      'tool_scopes = "Bash=tools:exec,*=tools:read"\n',
    0o600,
  );
  await using server = await HttpServer.start({ home, address, env: { HTTP_PATH: "/team" } });
  expect(new URL(server.url).pathname).toBe("/team");
  expect((await server.modern("tools/list")).status).toBe(401);
  const names = async (token: string): Promise<readonly string[]> =>
    toolNames(onlyMessage(await server.client.withToken(token).modern("tools/list")));
  expect(await names(laptop)).toContain("Bash");
  expect(await names(reader)).not.toContain("Bash");
});

test.each<[string, string, Readonly<Record<string, string>>, string]>([
  ["a key", "lissen = 1", {}, 'there is no key "lissen". Did you mean listen?'],
  ["a value", "sse = 1", {}, "sse must be true or false"],
  ["a variable", "", { HTTP_SSE: "2" }, 'HTTP_SSE is "2"'],
])("[team.settings] %s that it cannot use is refused by name", async (_, toml, env, words) => {
  using home = new TempFolder();
  home.write(".scorpiox/http.toml", toml, 0o600);
  const { exitCode, stderr } = await HttpServer.run({ home, address, env });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(words);
});

posixTest("[team.settings] http.toml that others may write is refused", async () => {
  using home = new TempFolder();
  home.write(".scorpiox/http.toml", "", 0o620);
  const { exitCode, stderr } = await HttpServer.run({ home, address });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("it decides who may connect");
});
