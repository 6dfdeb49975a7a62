import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { eventually, within } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { HttpServer } from "./harness/http-server.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { requestOf } from "./harness/http-session.ts";
import { metaKeys, textOf, toolNames } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, isAlive, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

const bash = (command: string): Record<string, unknown> => ({
  name: "Bash",
  arguments: { command, timeout: 600_000 },
});

/** Status of a GET, or "refused" when nobody listens. */
async function statusOf(server: HttpServer, path: string): Promise<number | "refused"> {
  try {
    return (await server.client.fetch({ method: "GET", path })).status;
  } catch {
    return "refused";
  }
}

describe("health", () => {
  test("[http.health] /healthz and /readyz are answered without a token or a known host", async () => {
    await using server = await HttpServer.start({ tokens: ["laptop-0123456789abcdef"] });
    const probe = server.client.withToken("");
    for (const path of ["/healthz", "/readyz"]) {
      const response = await probe.fetch({ method: "GET", path, headers: { host: "10.0.0.7" } });
      expect(response.status).toBe(200);
      expect((await response.text()).length).toBeLessThan(20);
    }
  });

  test("[http.health] the path of the endpoint is what --path says", async () => {
    await using server = await HttpServer.start({ args: ["--path", "/tools/mcp"] });
    expect(server.url).toEndWith("/tools/mcp");
    expect(toolNames(onlyMessage(await server.modern("tools/list")))).toContain("Bash");
    expect(await statusOf(server, "/mcp")).toBe(404);
  });
});

describe("HP13: stdout", () => {
  test("[http.stdout] carries the URL and nothing else, whatever commands print", async () => {
    await using server = await HttpServer.start();
    const urls = await server.ownUrls();
    await server.modern("tools/call", bash("echo out; echo err >&2; echo more > /dev/stdout"));
    server.signal("SIGTERM");
    await server.ended();
    const [own] = urls;
    expect(server.stdout).toBe(`Listening on ${own}\n`);
  });
});

describe("shutdown", () => {
  posixTest.each(["SIGTERM", "SIGHUP", ...onlyLong(["SIGINT"] as const)] as const)(
    "[http.drain] after %s calls under way finish, new ones are refused, and it exits with 0",
    async (signal) => {
      using gate = new Gate();
      await using server = await HttpServer.start();
      const session = await server.initialize();
      const [modern, legacy] = await Promise.all([
        server.client.openModern("tools/call", bash(gate.command("a", "modern")), 1),
        session.open("tools/call", bash(gate.command("a", "legacy")), 2),
      ]);
      server.signal(signal);
      await eventually("no more work", async () => (await statusOf(server, "/readyz")) === 503);
      expect((await server.modern("tools/list")).status).toBe(503);
      expect((await session.post(requestOf(3, "tools/list"))).status).toBe(503);
      expect(await statusOf(server, "/healthz")).toBe(200);
      gate.open();
      expect(textOf(await modern.reply(1))).toBe("a\nmodern\n");
      expect(textOf(await legacy.reply(2))).toBe("a\nlegacy\n");
      expect(await server.ended()).toBe(0);
    },
  );

  posixTest("[http.drain] on connections that are open already new requests get 503", async () => {
    using gate = new Gate();
    // The connection has to be to the process with the call.
    await using server = await HttpServer.start({ isAlone: true });
    const open = await server.client.openModern("tools/call", bash(gate.command("a", "b")), 1);
    const { hostname, port } = new URL(server.url);
    const socket = await import("node:net").then(({ connect }) => connect(Number(port), hostname));
    let text = "";
    socket.on("data", (bytes) => (text += bytes.toString()));
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    const request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(request);
    await eventually("the first answer", () => text.includes("200 OK"));
    server.signal("SIGTERM");
    await eventually("the end of service", () => {
      if (!socket.destroyed) socket.write(request);
      return text.includes("503");
    });
    gate.open();
    await open.ended;
    await within("the connection's end", 10_000, closed);
    expect(await server.ended()).toBe(0);
  });

  posixTest(
    "[http.drain] HP9: a subscription ends with its result, a session's stream with nothing",
    async () => {
      await using server = await HttpServer.start();
      const session = await server.initialize();
      const own = await session.listen();
      const notifications = { resourcesListChanged: true };
      const listening = await server.client.openModern(
        "subscriptions/listen",
        { notifications },
        "s",
      );
      await listening.message("the acknowledgement", ({ method }) => method !== undefined);
      server.signal("SIGTERM");
      await Promise.all([own.ended, listening.ended]);
      expect(own.messages).toEqual([]);
      const [acknowledged, ended, ...more] = listening.messages;
      expect(acknowledged?.method).toBe("notifications/subscriptions/acknowledged");
      expect(ended?.result).toMatchObject({
        resultType: "complete",
        _meta: { [metaKeys.subscription]: "s" },
      });
      expect(more).toEqual([]);
      expect(await server.ended()).toBe(0);
    },
  );

  posixTest(
    "[http.exit] it waits for nobody longer than its time, and leaves nothing running",
    async () => {
      await using server = await HttpServer.start();
      const session = await server.initialize();
      const marker = uniqueSeconds();
      const stubborn = bash(`trap '' TERM HUP INT; sleep ${marker}; sleep ${marker}`);
      await session.call("BackgroundBash", { command: `setsid sleep ${marker} & sleep ${marker}` });
      await server.client.openModern("tools/call", stubborn);
      await session.open("tools/call", bash(`sleep ${marker}`));
      await eventually("four sleepers", () => sleepers(marker) === 4);
      server.signal("SIGTERM");
      // 8 s for what is under way, and what it takes to end the commands.
      expect(await server.ended(15_000)).toBe(0);
      await allGone(`sleep ${marker}`, 5_000);
    },
  );

  posixTest("[http.exit] an idle server ends at once", async () => {
    await using server = await HttpServer.start();
    await Promise.all(Array.from({ length: 20 }, () => server.initialize()));
    server.signal("SIGTERM");
    expect(await server.ended(5_000)).toBe(0);
  });

  posixTest("[http.kill-9] kill -9 leaves no child", async () => {
    await using server = await HttpServer.start();
    const session = await server.initialize();
    const marker = uniqueSeconds();
    await session.call("BackgroundBash", { command: `setsid sleep ${marker} & sleep ${marker}` });
    await server.client.openModern("tools/call", bash(`trap '' TERM; sleep ${marker}; :`));
    await eventually("three sleepers", () => sleepers(marker) === 3);
    server.signal("SIGKILL");
    await server.ended();
    await allGone(`sleep ${marker}`);
    expect(isAlive(server.pid)).toBe(false);
  });
});

describe("TLS", () => {
  const openssl = Bun.which("openssl");

  function certificate(folder: TempFolder): string[] {
    const [cert, key] = [folder.at("cert.pem"), folder.at("key.pem")];
    const subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes"];
    const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    const files = ["-keyout", key, "-out", cert];
    const made = Bun.spawnSync(["openssl", "req", "-x509", ...algorithm, ...subject, ...files]);
    if (made.exitCode !== 0) throw new Error(made.stderr.toString());
    return ["--tls-cert", cert, "--tls-key", key];
  }

  test.skipIf(openssl === null)("[http.tls] it speaks TLS with the given certificate", async () => {
    using folder = new TempFolder();
    await using server = await HttpServer.start({ args: certificate(folder) });
    expect(server.url).toStartWith("https://");
    const answer = await server.modern("tools/call", bash("echo over TLS"));
    expect(textOf(onlyMessage(answer))).toBe("over TLS\n");
    expect((await server.initialize()).opening.status).toBe(200);
    const plainly = fetch(server.url.replace("https:", "http:")).catch(() => "refused");
    expect(await plainly).toBe("refused");
    const trusting = fetch(server.url).catch((error: unknown) => String(error));
    expect(await trusting).toMatch(/certificate/i);
  });

  test.each<[string, string[], RegExp]>([
    ["a certificate without its key", ["--tls-cert", "/dev/null"], /--tls-key/],
    ["files that are not there", ["--tls-cert", "/no/cert", "--tls-key", "/no/key"], /\/no\/cert/],
  ])("[http.tls] %s is told", async (_, args, expected) => {
    const { exitCode, stderr } = await HttpServer.run({ args });
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(expected);
  });

  test.skipIf(openssl === null)("[http.tls] a file that is no certificate is told", async () => {
    using folder = new TempFolder();
    const [, , flag = "", key = ""] = certificate(folder);
    const bad = folder.write("bad.pem", "no certificate\n");
    const { exitCode, stderr } = await HttpServer.run({ args: ["--tls-cert", bad, flag, key] });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(bad);
    expect(stderr).not.toContain(" at ");
  });

  test.skipIf(openssl === null)("[http.tls] the key of another certificate is told", async () => {
    using folder = new TempFolder();
    using other = new TempFolder();
    const [certFlag = "", cert = ""] = certificate(folder);
    const [, , keyFlag = "", key = ""] = certificate(other);
    const { exitCode, stderr } = await HttpServer.run({ args: [certFlag, cert, keyFlag, key] });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("the key is not that of the certificate");
    expect(stderr).not.toContain("port");
  });
});
