import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";

describe("H15: where it listens", () => {
  test.each(["0.0.0.0:0", "[::]:0", "192.168.1.1:0", "example.com:80"])(
    "[http.listen] %s without tokens is refused, with what to do",
    async (address) => {
      const { exitCode, stderr } = await HttpServer.run({ address });
      expect(exitCode).toBe(2);
      expect(stderr).toContain("--token-file");
    },
  );

  test("[http.listen] with tokens it is allowed, with a word about TLS", async () => {
    await using wide = await HttpServer.start({ address: "0.0.0.0:0", tokens: [laptop] });
    await eventually("it on stderr", () => wide.stderr.includes("TLS"));
    const path = wide.url.replace("0.0.0.0", "127.0.0.1");
    expect((await fetch(path, { method: "POST" })).status).toBe(401);
  });

  test("[http.listen] every address: it says that clients need a name, unless there is one", async () => {
    const address = "0.0.0.0:0";
    await using nameless = await HttpServer.start({ address, tokens: [laptop] });
    await eventually("it on stderr", () => nameless.stderr.includes("--allow-host"));
    const args = ["--allow-host", "mcp.example.com"];
    await using named = await HttpServer.start({ address, tokens: [laptop], args });
    expect(named.stderr).not.toContain("--allow-host");
  });

  // Other systems have 127.0.0.1 alone.
  test.skipIf(process.platform !== "linux")(
    "[http.listen] the address that it was given is one that clients may use",
    async () => {
      await using server = await HttpServer.start({ address: "127.0.0.2:0" });
      expect(server.url).toStartWith("http://127.0.0.2:");
      expect((await server.modern("tools/list")).status).toBe(200);
      expect((await server.modern("tools/list", {}, { host: "127.0.0.3" })).status).toBe(403);
    },
  );

  test.each([
    ["an address that is none", ["nonsense"], 2],
    ["a flag without --http", undefined, 2],
  ])("[http.listen] %s is wrong usage", async (_, address, exitCode) => {
    const options =
      address === undefined
        ? { args: ["--issuer", "https://x.example"] }
        : { address: address.join() };
    expect((await HttpServer.run(options)).exitCode).toBe(exitCode);
  });

  test("[http.listen] a port that is taken is named", async () => {
    await using first = await HttpServer.start();
    const address = new URL(first.url).host;
    const { exitCode, stderr } = await HttpServer.run({ address });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(address);
  });

  posixTest(
    "[http.listen] a token file that others may read is refused, with the remedy",
    async () => {
      using folder = new TempFolder();
      const path = folder.write("tokens.txt", `${laptop}\n`);
      chmodSync(path, 0o644);
      const { exitCode, stderr } = await HttpServer.run({ args: ["--token-file", path] });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain("chmod 600");
      expect(stderr).not.toContain(laptop);
    },
  );
});
