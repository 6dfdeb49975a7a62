import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { basename } from "node:path";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { contentOf, modern, modernVersion, someLegacyVersions } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import {
  contentsText,
  isListChange,
  isUpdateOf,
  resourcesOf,
  startedUri,
  urisOf,
} from "./harness/resources.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const versions = [...someLegacyVersions, modernVersion] as const;
type Version = (typeof versions)[number];
type Params = Readonly<Record<string, unknown>>;

async function startIn(version: Version): Promise<Server> {
  const server = new Server();
  if (version !== modernVersion) await server.initialize(version);
  return server;
}

/** Servers, by revision, of tests that look only at tasks of their own. */
const shared = new Map<Version, Server>();
beforeAll(async () => {
  for (const version of versions) shared.set(version, await startIn(version));
});
afterAll(() => Promise.all([...shared.values()].map((server) => server[Symbol.asyncDispose]())));

function sharedServer(version: Version): Server {
  const server = shared.get(version);
  if (server === undefined) throw new Error(`no server of ${version}`);
  return server;
}

function ask(server: Server, version: Version, method: string, params: Params = {}) {
  return server.request(method, version === modernVersion ? modern(params) : params);
}

/** Starts a background task; returns its URI. */
async function background(server: Server, version: Version, command: string): Promise<string> {
  const params = { name: "BackgroundBash", arguments: { command } };
  return startedUri(await ask(server, version, "tools/call", params));
}

/** Reads until the text is in it. */
async function readUntil(
  server: Server,
  version: Version,
  uri: string,
  text: string,
): Promise<string> {
  return eventually(`${text} in ${uri}`, async () => {
    const read = contentsText(await ask(server, version, "resources/read", { uri }));
    return read.includes(text) && read;
  });
}

describe("background tasks", () => {
  test.each(versions)(
    "[resources.declared] [resources.list-changed] listed, declared and told of in %s",
    async (version) => {
      await using server = new Server();
      const opening =
        version === modernVersion
          ? await server.request("server/discover", modern())
          : await server.initialize(version);
      expect(opening.result?.["capabilities"]).toMatchObject({
        resources: { subscribe: true, listChanged: true },
      });
      expect(urisOf(await ask(server, version, "resources/list"))).toEqual([]);
      const uri = await background(server, version, "echo here; sleep 300");
      const [listed] = resourcesOf((await ask(server, version, "resources/list")).result);
      expect(listed).toEqual({
        uri,
        name: "background-1",
        ...(version >= "2025-06-18" ? { title: "Background task 1" } : {}),
        description: "echo here; sleep 300",
        mimeType: "text/plain",
      });
      const templates = await ask(server, version, "resources/templates/list");
      const shown = templates.result?.["resourceTemplates"] as { uriTemplate: string }[];
      expect(shown.map(({ uriTemplate }) => uriTemplate)).toEqual([
        "scorpiox://background/{task_id}",
        "scorpiox://results/{id}",
        "scorpiox://results/{id}/{page}",
        "skill://{name}/{+path}",
      ]);
      if (version === modernVersion) return;
      const change = await server.message("a change of the list", isListChange);
      expect(change).not.toHaveProperty("params._meta");
    },
  );

  test.each(versions)(
    "[resources.background] read while they run and after, in %s",
    async (version) => {
      using gate = new Gate();
      const server = sharedServer(version);
      const uri = await background(server, version, gate.command("before", "after"));
      const running = await readUntil(server, version, uri, "\nbefore\n");
      expect(running).toMatch(/^Background task \d+: running for /);
      gate.open();
      const ended = await readUntil(server, version, uri, "\nafter\n");
      expect(await readUntil(server, version, uri, "exited with code 0")).toContain(
        "before\nafter\n",
      );
      expect(ended).toContain("\nCommand: echo before; ");
    },
  );

  test("[resources.background] what was read as a resource is still unread for ReadBgOutput", async () => {
    const server = sharedServer("2025-11-25");
    const uri = await background(server, "2025-11-25", "echo kept");
    await readUntil(server, "2025-11-25", uri, "exited with code 0");
    const read = await server.call("ReadBgOutput", { task_id: Number(basename(uri)) });
    expect(contentOf(read)[0]?.text).toContain("kept");
  });
});

describe("saved outputs", () => {
  /** The name of the file that holds the whole of a long output, without `.txt`. */
  const savedId = (reply: ServerMessage): string => {
    const link = contentOf(reply).find(({ type }) => type === "resource_link");
    return basename(new URL(link?.uri ?? "file:///none").pathname, ".txt");
  };

  test("[resources.saved] are read by the name of their file, also by the next process", async () => {
    using home = new TempFolder();
    let uri = "";
    {
      await using server = new Server({ home });
      await server.initialize();
      const reply = await server.call("Bash", { command: "seq 1 30000" });
      uri = `scorpiox://results/${savedId(reply)}`;
    }
    const whole = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join("");
    await using next = new Server({ home });
    expect(contentsText(await ask(next, modernVersion, "resources/read", { uri }))).toBe(whole);
    await next.initialize("2025-11-25");
    expect(contentsText(await ask(next, "2025-11-25", "resources/read", { uri }))).toBe(whole);
  });

  test("[resources.saved] of a very long one the two ends, and all of it in pages", async () => {
    const server = sharedServer("2025-11-25");
    const reply = await server.call("Bash", { command: "seq 1 200000" });
    const uri = `scorpiox://results/${savedId(reply)}`;
    const text = contentsText(await server.request("resources/read", { uri }));
    expect(text.startsWith("1\n2\n")).toBe(true);
    expect(text.endsWith("\n200000\n")).toBe(true);
    const [, from, to] =
      /\n\[\.\.\. [\d,]+ bytes are left out here: the file has them, and (\S+) to (\S+) \.\.\.\]\n/.exec(
        text,
      ) ?? [];
    expect([from, to]).toEqual([`${uri}/1`, `${uri}/2`]);
    const first = contentsText(await server.request("resources/read", { uri: from }));
    const second = contentsText(await server.request("resources/read", { uri: to }));
    const numbers = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`);
    expect(first + second === numbers.join("")).toBe(true);
  });
});

describe("what is not there", () => {
  test.each(versions)("[resources.unknown] in %s", async (version) => {
    const server = sharedServer(version);
    await background(server, version, "true");
    const missing = ["scorpiox://background/99", "scorpiox://results/a-0", "file:///etc/passwd"];
    for (const uri of missing) {
      const { error } = await ask(server, version, "resources/read", { uri });
      expect(error).toMatchObject({
        code: version === modernVersion ? -32602 : -32002,
        data: { uri },
      });
    }
    const climbing = ["scorpiox://results/../x", "scorpiox://results/%2e%2e%2fx", "../x", ""];
    for (const uri of climbing) {
      const { error } = await ask(server, version, "resources/read", { uri });
      expect(error?.code).toBe(-32602);
    }
  });

  test.each(versions)("[resources.pages] a foreign cursor in %s", async (version) => {
    const server = sharedServer(version);
    for (const method of ["resources/list", "resources/templates/list", "tools/list"]) {
      for (const cursor of ["", "MTox"]) {
        expect((await ask(server, version, method, { cursor })).error?.code).toBe(-32602);
      }
    }
  });
});

describe("sessions are told", () => {
  test.each(someLegacyVersions)(
    "[resources.subscribe] of output and end in %s",
    async (version) => {
      using gate = new Gate();
      const server = sharedServer(version);
      const uri = await background(server, version, gate.command("before", "after"));
      await readUntil(server, version, uri, "\nbefore\n");
      expect((await server.request("resources/subscribe", { uri })).result).toEqual({});
      gate.open();
      expect(await server.message("an update", isUpdateOf(uri))).toMatchObject({ params: { uri } });
      await readUntil(server, version, uri, "exited with code 0");
    },
  );

  test("[resources.subscribe] of nothing that it unsubscribed from, and of nothing twice a second", async () => {
    using gate = new Gate();
    const version = "2025-11-25";
    const server = sharedServer(version);
    const [quiet, loud] = [
      await background(server, version, `${gate.wait}; echo after`),
      await background(
        server,
        version,
        `${gate.wait}; for i in $(seq 10); do echo $i; sleep 0.1; done`,
      ),
    ];
    for (const uri of [quiet, loud]) await server.request("resources/subscribe", { uri });
    await server.request("resources/unsubscribe", { uri: quiet });
    const startedAt = performance.now();
    gate.open();
    await readUntil(server, version, quiet, "exited with code 0");
    await readUntil(server, version, loud, "exited with code 0");
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(server.messages.filter(isUpdateOf(quiet))).toEqual([]);
    // One at once, one each second, one for the end.
    expect(server.messages.filter(isUpdateOf(loud)).length).toBeLessThanOrEqual(seconds + 2);
  });

  test("[resources.subscribe] there is nothing to subscribe to but running tasks' output", async () => {
    const server = sharedServer("2025-11-25");
    const uri = "scorpiox://background/99";
    expect((await server.request("resources/subscribe", { uri })).error?.code).toBe(-32602);
  });
});
