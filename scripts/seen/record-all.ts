/** Records clients that are installed: `record-all.ts OUT ID=BIN_FOLDER …`, in a network that has nothing but loopback. */
import { productBinary } from "../../test/e2e/harness/binary.ts";
import { realClients } from "./clients.ts";
import { forms } from "./forms.ts";
import { productCalls, prepareWork } from "./product-calls.ts";
import { record, type Recording } from "./record.ts";

/** What one client did with the server of forms and with the product. */
export interface ClientRecording {
  readonly id: string;
  readonly forms: Recording;
  readonly product: Recording;
}

/** Some clients ask their model before their MCP servers are ready, when the machine is busy. */
async function twice(attempt: () => Promise<Recording>): Promise<Recording> {
  const first = await attempt();
  return first.fault === undefined ? first : attempt();
}

if (import.meta.main) {
  const [out = "", ...installed] = process.argv.slice(2);
  const recordings: ClientRecording[] = [];
  for (const pair of installed) {
    const [id, binFolder = ""] = pair.split("=");
    const client = realClients.find((each) => each.id === id);
    if (client === undefined) throw new Error(`no client ${id}`);
    const formsServer = [process.execPath, `${import.meta.dir}/forms-server.ts`];
    const formCalls = forms.map(({ tool }) => ({ tool: tool.name, args: {} }));
    recordings.push({
      id: client.id,
      forms: await twice(() => record(client, binFolder, formsServer, formCalls, { key: "forms" })),
      product: await twice(() =>
        record(client, binFolder, [productBinary], productCalls, { prepare: prepareWork }),
      ),
    });
    console.log(`verify: seen: ${client.title} ${client.version}`);
  }
  await Bun.write(out, JSON.stringify(recordings));
}
