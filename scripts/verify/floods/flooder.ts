/**
 * What floods, in a process of its own, so that the one that pings is never late itself:
 *
 *     flooder.ts site TYPE CODING FILE    serves the file, and prints where
 *     flooder.ts post URL TOKEN COUNT     sends so many bodies at once, and prints their statuses
 */
import { mib } from "./flood.ts";

const bodyBytes = 15 * mib;

const [way, ...words] = process.argv.slice(2);
if (way === "site") serve(words);
else await post(words);

function serve([type = "", coding = "", file = ""]: readonly string[]): void {
  const headers = { "content-type": type, "content-encoding": coding };
  const fetch = (): Response => new Response(Bun.file(file), { headers });
  const { url } = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  console.log(url.origin);
}

async function post([url = "", token = "", count = ""]: readonly string[]): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "?" } });
  const body = call.replace('"?"', `[${"[],".repeat(bodyBytes / 3)}0]`);
  const statuses = await Promise.all(
    Array.from({ length: Number(count) }, async () => {
      const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
      await response?.text().catch(() => "");
      return response?.status ?? 0;
    }),
  );
  console.log(statuses.join(" "));
}
