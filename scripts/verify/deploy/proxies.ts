/** The lines for nginx and Caddy: TLS, events as they are sent, calls that are sent once, and nothing but the endpoint. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { freePort } from "../../../test/e2e/harness/free-port.ts";
import { HttpClient, onlyMessage } from "../../../test/e2e/harness/http-client.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { HttpSession } from "../../../test/e2e/harness/http-session.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import { notRun, type Row, run } from "../packages/rehearsal.ts";
import { deployFolder } from "./systemd.ts";

export type ProxyName = "nginx" | "caddy";

const host = "mcp.example.com";
const token = "laptop-0123456789abcdef";

export async function proxyRow(name: ProxyName): Promise<Row> {
  if (Bun.which(name) === null) return notRun(name, `it is missing (Debian's package ${name})`);
  await using server = await HttpServer.start({ tokens: [token], args: ["--allow-host", host] });
  await using proxy = await Proxy.start(name, server.url);
  const client = new HttpClient(`https://127.0.0.1:${proxy.port}/mcp`, token);
  const faults: string[] = [];
  for (const [what, check] of Object.entries(checks)) {
    const fault = await check(client).catch(String);
    if (fault !== undefined) faults.push(`${what}: ${fault}`);
  }
  if (faults.length > 0) return [name, "FAIL", faults.join("; ")];
  return [name, "pass", Object.keys(checks).join(", ")];
}

type Check = (client: HttpClient) => Promise<string | undefined>;

const checks: Readonly<Record<string, Check>> = {
  "events come as they are sent": async (client) => {
    const session = await HttpSession.open(client, "2025-11-25", {});
    // The command ends only after the client has seen its first line.
    const go = `/tmp/scorpiox-proxy-${crypto.randomUUID()}`;
    const command = `echo first; until [ -e ${go} ]; do sleep 0.05; done; echo last; rm ${go}`;
    const call = { name: "Bash", arguments: { command }, _meta: { progressToken: "p" } };
    const reader = await session.open("tools/call", call, 7);
    await reader.message("progress", ({ method }) => method === "notifications/progress");
    writeFileSync(go, "");
    const said = textOf(await reader.reply(7));
    return said === "first\nlast\n" ? undefined : said;
  },
  "a body of 8 MB": async (client) => {
    const text = "x".repeat(8_000_000);
    const call = { name: "Bash", arguments: { command: `true # ${text}` } };
    return statusFault(await client.modern("tools/call", call), 200);
  },
  "300 calls on kept connections": async (client) => {
    for (let round = 0; round < 15; round++) {
      const calls = Array.from({ length: 20 }, () =>
        client.modern("tools/call", { name: "ListBgTasks", arguments: {} }),
      );
      for (const answer of await Promise.all(calls)) onlyMessage(answer);
    }
    return undefined;
  },
  "no token, no answer": async (client) =>
    statusFault(await client.withToken("").modern("tools/list"), 401),
  "/metrics and /healthz stay inside": async (client) => {
    for (const path of ["/metrics", "/healthz"]) {
      const { status } = await client.fetch({ method: "GET", path });
      if (status !== 404) return `${path} is answered with ${status}`;
    }
    return undefined;
  },
  "/readyz is answered": async (client) =>
    statusFault(await client.fetch({ method: "GET", path: "/readyz" }), 200),
};

function statusFault({ status }: { readonly status: number }, wanted: number): string | undefined {
  return status === wanted ? undefined : `status ${status}`;
}

/** One of them with our lines, at a port of its own and with a certificate that nobody has signed. */
class Proxy implements AsyncDisposable {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly child: Bun.Subprocess<"ignore", "ignore", "pipe">,
  ) {}

  static async start(name: ProxyName, serverUrl: string): Promise<Proxy> {
    const folder = mkdtempSync(join(tmpdir(), "scorpiox-proxy-"));
    const port = freePort();
    const argv = writers[name](folder, port, new URL(serverUrl).host);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const child = Bun.spawn([...argv], { env, stdio: ["ignore", "ignore", "pipe"] });
    const proxy = new Proxy(port, folder, child);
    try {
      await eventually(`${name} at its port`, () => proxy.#isReady());
      return proxy;
    } catch (error) {
      child.kill("SIGKILL");
      throw new Error(`${String(error)}: ${(await child.stderr.text()).slice(-500)}`, {
        cause: error,
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM");
    await this.child.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const tls = { rejectUnauthorized: false };
    const url = `https://127.0.0.1:${this.port}/readyz`;
    return await fetch(url, { headers: { host }, tls }).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

/** Writes the configuration; the command that serves it in the foreground. */
type Writer = (folder: string, port: number, server: string) => readonly string[];

const writers: Readonly<Record<ProxyName, Writer>> = {
  nginx: (folder, port, server) => {
    const { cert, key } = makeCertificate(folder);
    const lines = readFileSync(join(deployFolder, "proxy/nginx.conf"), "utf8")
      .replaceAll("127.0.0.1:8808", server)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("/etc/nginx/tls/cert.pem", cert)
      .replace("/etc/nginx/tls/key.pem", key);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const paths = temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
    const path = join(folder, "nginx.conf");
    const user = process.getuid?.() === 0 ? "user root;" : "";
    writeFileSync(
      path,
      `${user}\ndaemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${lines}}\n`,
    );
    return ["nginx", "-p", folder, "-c", path];
  },
  caddy: (folder, port, server) => {
    const lines = readFileSync(join(deployFolder, "proxy/Caddyfile"), "utf8")
      .replaceAll("127.0.0.1:8808", server)
      .replace(`${host} {`, `https://${host}:${port}, https://127.0.0.1:${port} {\n\ttls internal`);
    const path = join(folder, "Caddyfile");
    writeFileSync(
      path,
      `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tdefault_sni ${host}\n}\n${lines}`,
    );
    return ["caddy", "run", "--adapter", "caddyfile", "--config", path];
  },
};

function makeCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", `/CN=${host}`, "-days", "1", "-nodes", "-newkey", "rsa:2048"];
  run(["openssl", "req", "-x509", ...subject, "-out", cert, "-keyout", key]);
  return { cert, key };
}
