/** Lists the tools of a server with an official SDK, as its defaults are, and prints them: `list-by-sdk.ts v1|v2 PROGRAM …`. */
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";

const [sdk = "", command = "", ...args] = process.argv.slice(2);
const info = { name: `sdk-${sdk}`, version: "1.0.0" };
const isFirst = sdk === "v1";
const client = isFirst ? new Client1(info) : new Client2(info);
const transport = isFirst ? new Stdio1({ command, args }) : new Stdio2({ command, args });
await (client as Client1).connect(transport as Stdio1);
const { tools } = await client.listTools();
console.log(JSON.stringify(tools));
await client.close();
