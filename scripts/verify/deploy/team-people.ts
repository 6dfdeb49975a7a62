/**
 * Three people use the server that `team-hour` has set up, on its machine: `team-people.ts TOKEN TOKEN TOKEN`. Prints a line for each
 * thing that works, or FAIL and the reason.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { Browser } from "../../../test/fixtures/oauth/browser.ts";

const url = new URL("https://mcp.example.com/mcp");
const tool = "mcp__github__whoami";

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: "team", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

async function said(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.stringify(content);
}

async function show(what: string, check: () => Promise<string | undefined>): Promise<void> {
  const fault = await check().catch(String);
  console.log(fault === undefined ? what : `FAIL ${what}: ${fault}`);
}

const [ada, ben, cleo] = await Promise.all(process.argv.slice(2, 5).map(connect));
if (ada === undefined || ben === undefined || cleo === undefined) throw new Error("three tokens");

await show("three people connect through TLS with tokens made by us", async () => {
  const lists = await Promise.all([ada, ben, cleo].map((client) => client.listTools()));
  const lacking = lists.find(({ tools }) => !tools.some(({ name }) => name === tool));
  return lacking === undefined ? undefined : lacking.tools.map(({ name }) => name).join(" ");
});

await show("without a token nobody", async () => {
  const { status } = await fetch(url, { method: "POST", body: "{}" });
  return status === 401 ? undefined : `status ${status}`;
});

await show("each logs in to the MCP server as themselves", async () => {
  const accounts: string[] = [];
  for (const client of [ada, cleo]) {
    const link = /https:\S+?\/oauth\/login\?request=[\w-]{43}/.exec(await said(client, tool))?.[0];
    if (link === undefined) return await said(client, tool);
    const page = await new Browser().logIn(link);
    if (page.status !== 200) return page.text;
    accounts.push(/account \d/.exec(await said(client, tool))?.[0] ?? "none");
  }
  return accounts.join() === "account 1,account 2" ? undefined : accounts.join();
});

await show("a rule by person denies Ben the server", async () => {
  const text = await said(ben, tool);
  return /denied|rule/i.test(text) && !text.includes("account") ? undefined : text;
});

await show("commands of one person do not see another's", async () => {
  await said(ada, "Bash", { command: "echo ada-was-here > note.txt" });
  const seen = await said(cleo, "Bash", {
    command: "cat note.txt; grep -rs ada-was-here / --include=note.txt; ls /var/lib/scorpiox; true",
  });
  return seen.includes("ada-was-here") ? seen : undefined;
});

await show("metrics are scraped, by tool and server", async () => {
  const text = await fetch("http://127.0.0.1:9808/metrics").then((response) => response.text());
  const isThere = ["scorpiox_http_sessions", 'tool="Bash"'].every((part) => text.includes(part));
  return isThere ? undefined : text.slice(0, 300);
});

await show("metrics are not there for the world", async () => {
  const { status } = await fetch(new URL("/metrics", url));
  return status === 404 ? undefined : `status ${status}`;
});

await Promise.all([ada, ben, cleo].map((client) => client.close()));
