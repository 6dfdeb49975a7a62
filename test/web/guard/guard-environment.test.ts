import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RawServer } from "./local-parts.ts";

const program = join(import.meta.dir, "fixtures/ask-once.ts");
const openssl = Bun.which("openssl");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "guard-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the program prints, in an environment of its own. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = Bun.spawn([process.execPath, program, ...args], { env, stderr: "inherit" });
  await child.exited;
  return (await child.stdout.text()).trim();
}

function certify(name: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", key, "-out", certificate];
  const made = Bun.spawnSync(["openssl", "req", "-x509", ...kind, ...subject, ...files]);
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  return { certificate, key };
}

describe("the guard in a process of its own, in a Worker", () => {
  test("goes past the proxies that the environment names", async () => {
    await using canary = await RawServer.start((socket) => socket.destroy());
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
    const proxy = `http://127.0.0.1:${canary.port}`;
    const env = { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy };
    const said = await run([`http://page.test:${server.port}/`, "", "page.test"], env);
    await server.stop(true);
    expect([said, canary.accepted]).toEqual(["here here", 0]);
  });

  test.skipIf(openssl === null)(
    "holds a certificate against the name, with authorities of NODE_EXTRA_CA_CERTS",
    async () => {
      const { certificate, key } = certify("good.test");
      const names: string[] = [];
      const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        tls: { cert: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") },
        fetch(request) {
          names.push(request.headers.get("host") ?? "");
          return new Response("secret");
        },
      });
      const { port } = server;
      const ask = (name: string, env: Record<string, string>): Promise<string> =>
        run([`https://${name}:${port}/`, "", name], env);
      const [trusted, unknown, other] = await Promise.all([
        ask("good.test", { NODE_EXTRA_CA_CERTS: certificate }),
        ask("good.test", {}),
        ask("other.test", { NODE_EXTRA_CA_CERTS: certificate }),
      ]);
      await server.stop(true);
      const failed = (name: string): string =>
        `AppError: "${name}" did not answer on port ${port}: `;
      expect(trusted).toBe("secret secret");
      expect(unknown).toBe(`${failed("good.test")}its certificate is self-signed.`);
      expect(other).toBe(`${failed("other.test")}its certificate is for another name.`);
      expect(names).toEqual([`good.test:${port}`, `good.test:${port}`]);
    },
  );

  test.skipIf(openssl === null)("speaks TLS with a proxy of https://", async () => {
    const { certificate, key } = certify("localhost");
    const heard: string[] = [];
    const tls = { cert: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
    const proxy = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      tls,
      socket: {
        data(socket, data) {
          heard.push(data.toString().split("\r\n")[0] ?? "");
          socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere");
        },
      },
    });
    const args = ["http://docs.example/", `https://localhost:${proxy.port}`, "localhost"];
    const [trusted, unknown] = await Promise.all([
      run(args, { NODE_EXTRA_CA_CERTS: certificate }),
      run(args, {}),
    ]);
    const via = `docs.example (through the proxy https://localhost:${proxy.port})`;
    proxy.stop(true);
    expect(unknown).toBe(
      `AppError: "${via}" did not answer on port 80: its certificate is self-signed.`,
    );
    expect(trusted).toBe("here here");
    expect(heard.map((line) => line.replace(":80/", "/"))).toEqual([
      "GET http://docs.example/ HTTP/1.1",
      "GET http://docs.example/ HTTP/1.1",
    ]);
  });
});
