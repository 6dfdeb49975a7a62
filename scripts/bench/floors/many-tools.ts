/** A server with as many tools as its argument says, for the growth of what knows them. */
import { echoed, reply, serve } from "./least-server.ts";

const tools = Array.from({ length: Number(process.argv[2]) }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does what tool number ${number} does, with a description of a usual length.`,
  inputSchema: { type: "object", properties: { message: { type: "string" } } },
}));

await serve(({ id }) => reply(id, echoed), { "tools/list": JSON.stringify({ tools }) });
