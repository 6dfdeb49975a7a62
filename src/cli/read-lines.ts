/** Nobody pastes a longer line. */
const lineCharsMax = 64 * 1024;

/** Reads `input` line by line, from the first time that it is asked. Undefined: there is no more. */
export function readLines(input: AsyncIterable<Uint8Array>): () => Promise<string | undefined> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  return async () => {
    chunks ??= input[Symbol.asyncIterator]();
    for (;;) {
      const end = text.indexOf("\n");
      if (end !== -1) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        return line;
      }
      const { value, done } = await chunks.next();
      if (done === true || text.length > lineCharsMax) {
        const rest = text;
        text = "";
        return rest === "" || done !== true ? undefined : rest;
      }
      text += decoder.decode(value, { stream: true });
    }
  };
}
