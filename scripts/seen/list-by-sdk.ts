/** Lists the tools of a server with an official SDK, as its defaults are, and prints them: `list-by-sdk.ts v1|v2 PROGRAM …`. */
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";

const [sdk = "", command = "", ...args] = process.argv.slice(2);
const info = { name: `sdk-${sdk}`, version: "1.0.0" };
const server = { command, args };
if (sdk === "v1") {
  const client = new Client1(info);
  await client.connect(new Stdio1(server));
  console.log(JSON.stringify((await client.listTools()).tools));
  await client.close();
} else {
  const client = new Client2(info);
  await client.connect(new Stdio2(server));
  console.log(JSON.stringify((await client.listTools()).tools));
  await client.close();
}
