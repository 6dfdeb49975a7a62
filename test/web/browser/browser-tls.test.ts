import { expect } from "bun:test";
import { join } from "node:path";

import { BrowserHarness, browserTest, browserTestMs, failureOf } from "./browser-harness.ts";
import { article, html, LocalSite } from "./local-site.ts";

/** A server with a certificate that it signed itself, whose files are in `folder`. */
function serveTls(folder: string, onRequest: () => void): Bun.Server<undefined> {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  Bun.spawnSync(["openssl", "req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert]);
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: Bun.file(cert), key: Bun.file(key) },
    fetch: () => {
      onRequest();
      return html(article());
    },
  });
}

browserTest.skipIf(Bun.which("openssl") === null)(
  "render() asks for https through the guard, with the first tab and with one that was ready, and judges certificates",
  async () => {
    await using harness = new BrowserHarness();
    await using site = new LocalSite({ "/": article() });
    let hits = 0;
    using server = serveTls(harness.profilesDir, () => void hits++);
    // Not a failure of the tunnel: the handshake was made, and its end not trusted.
    const untrusted = {
      code: "system",
      text: `${server.url.href} has no trusted certificate (CERT_AUTHORITY_INVALID), so it was not read.`,
    };
    expect(await failureOf(harness.render(server.url.href))).toEqual(untrusted);
    await harness.render(site.url("/"));
    expect(await failureOf(harness.render(server.url.href))).toEqual(untrusted);
    expect(hits).toBe(0);
  },
  browserTestMs,
);
