/** The least that a server with Workers can be: each call crosses to a Worker and back as a string. The floor of a cheap call. */
import { echoed, flush, type Message, reply, serve } from "./least-server.ts";

/** A job on its way to the Worker. */
interface Job {
  readonly id: number;
}

if (Bun.isMainThread) {
  const worker = new Worker(import.meta.url);
  const ids = new Map<number, number | undefined>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<string>) => {
    const blank = data.indexOf(" ");
    const job = Number(data.slice(0, blank));
    reply(ids.get(job), data.slice(blank + 1));
    ids.delete(job);
    flush();
  };
  await serve((message) => worker.postMessage(jobOf(message)));

  function jobOf({ id, params }: Message): string {
    last += 1;
    ids.set(last, id);
    return `{"id":${last},"params":${JSON.stringify(params)}}`;
  }
} else {
  addEventListener("message", ({ data }: MessageEvent<string>) => {
    postMessage(`${(JSON.parse(data) as Job).id} ${echoed}`);
  });
}
