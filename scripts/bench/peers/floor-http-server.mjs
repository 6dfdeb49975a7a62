/** The least that can be done over HTTP: reads the body, answers canned JSON with the request's id. */
const headers = { "content-type": "application/json" };
const result = JSON.stringify({
  content: [{ type: "text", text: "Echo: hi" }],
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "floor", version: "1.0.0" } },
});

async function serve(request) {
  const { id } = await request.json();
  return new Response(`{"jsonrpc":"2.0","id":${id},"result":${result}}`, { headers });
}

const { url } = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: serve });
console.log(`Listening on ${new URL("/mcp", url).href}`);
