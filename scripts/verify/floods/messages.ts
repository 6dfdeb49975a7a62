import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import { Server } from "../../../test/e2e/harness/server.ts";
import { type Flood, floodMbMax, mib, type Seen } from "./flood.ts";
import { peakMb, pingDuring, watchStdio } from "./watch.ts";

const lineBytes = 15 * mib;
const bodies = 40;
const answerMsMax = 60_000;
const token = "flooding-0123456789abcdef";
const othersToken = "somebody-0123456789abcdef";

export const messageFloods: readonly Flood[] = [
  { name: "a line of 15 MB of empty lists", mbMax: floodMbMax, run: writeLine },
  { name: `${bodies} bodies of 15 MB of empty lists at once`, mbMax: floodMbMax, run: postBodies },
];

/** Over when a ping behind the line is answered. All that is sent meanwhile waits behind it in the same pipe. */
async function writeLine(): Promise<Seen> {
  await using server = new Server();
  await server.initialize();
  const lists = "[],".repeat(lineBytes / 3);
  const line = Buffer.from(
    `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[${lists}0]}}\n`,
  );
  return await watchStdio(server, () => {
    server.write(line);
    return server.request("ping", undefined, answerMsMax);
  });
}

/** All from one client; another one pings. */
async function postBodies(): Promise<Seen> {
  await using server = await HttpServer.start({
    tokens: [`flooding ${token}`, `somebody ${othersToken}`],
  });
  const other = server.client.withToken(othersToken);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const ping = async (): Promise<void> => {
    const response = await other.fetch({ body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a ping got ${response.status} ${text}`);
  };
  const post = [`${import.meta.dir}/flooder.ts`, "post", server.url, token, String(bodies)];
  const flooder = Bun.spawn([process.execPath, ...post], { stdout: "pipe" });
  const pings = await pingDuring(ping, flooder.exited);
  const statuses = (await new Response(flooder.stdout).text()).trim().split(" ");
  const params = { name: "Bash", arguments: { command: "echo next" } };
  const { messages } = await server.modern("tools/call", params);
  const said = messages.flatMap((message) => (message.result === undefined ? [] : textOf(message)));
  const isServed = statuses.length === bodies && !statuses.includes("0");
  const isRight = isServed && said.join() === "next\n";
  const fault = isRight ? undefined : `${statuses.join(" ")}; ${said.join()}`;
  return { mb: peakMb(server.pid), pings, fault };
}
