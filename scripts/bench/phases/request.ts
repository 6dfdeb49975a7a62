import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const textChars = 5_000_000;
const timeoutMs = 60_000;
/** Quotes, backslashes and control characters, as in the files that real clients send. */
const sentence = 'The quick brown fox jumps over the lazy dog. "q" \\ tab\t line\n';
const text = sentence.repeat(Math.ceil(textChars / sentence.length)).slice(0, textChars);

/** A call whose argument is 5 MB of text. */
export const request: Phase = (participants, settings) =>
  interleave("request", participants, settings.bigRequests, (participant) => {
    const { bigRequest } = participant.adapter;
    if (bigRequest === undefined) return;
    const connection = participant.connection();
    const { ms } = connection.time(connection.toolRequest(bigRequest(text)), timeoutMs);
    participant.record("bigRequestMs", ms);
  });
