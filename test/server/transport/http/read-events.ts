interface ReadEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a whole stream, read as the standard says: an event without data is none. */
export function readEvents(stream: string): ReadEvent[] {
  return stream
    .split(/(?:\r\n|\r|\n){2}/)
    .map((block) => block.split(/\r\n|\r|\n/))
    .filter((lines) => lines.some((line) => line.startsWith("data:")))
    .map((lines) => ({
      id: valuesOf(lines, "id").at(-1),
      data: valuesOf(lines, "data").join("\n"),
    }));
}

function valuesOf(lines: readonly string[], field: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${field}:`))
    .map((line) => line.slice(field.length + 1).replace(/^ /, ""));
}
