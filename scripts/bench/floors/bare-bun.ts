/** The least that a Bun server can be: no Worker, no SDK. The floor of a start, of `ping` and of memory. */
import { echoed, reply, serve } from "./least-server.ts";

await serve(({ id }) => reply(id, echoed));
