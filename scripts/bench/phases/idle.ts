import { privateMb } from "../client/process-info.ts";
import type { Connection } from "../client/connection.ts";
import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { shellCall } from "./shell.ts";

const cheapCalls = 500;
const shellCalls = 10;

/** Private memory of servers that have been called and then left alone: all of them at once. */
export const idle: Phase = async (participants, { idleStarts, idleMs }) => {
  using stack = new DisposableStack();
  const started: { participant: Participant; connection: Connection }[] = [];
  await interleave("idle", participants, idleStarts, (participant) => {
    const connection = stack.use(participant.start());
    connection.initialize();
    connection.call("tools/list");
    for (let call = 0; call < cheapCalls; call++) {
      connection.time(cheapRequest(participant, connection));
    }
    for (let call = 0; call < shellCalls && participant.adapter.shell !== undefined; call++) {
      connection.time(connection.toolRequest(shellCall(participant, "echo hi")));
    }
    started.push({ participant, connection });
  });
  await Bun.sleep(idleMs);
  for (const { participant, connection } of started) {
    participant.record("leftPrivateMb", privateMb(connection.pid));
  }
};
