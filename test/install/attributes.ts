import { ptr } from "bun:ffi";

import { openLinuxLibrary } from "../../src/base/linux-library.ts";

function calls() {
  return openLinuxLibrary({
    setxattr: { args: ["ptr", "ptr", "ptr", "u64", "i32"], returns: "i32" },
    getxattr: { args: ["ptr", "ptr", "ptr", "u64"], returns: "i64" },
  });
}

function textPtr(text: string): ReturnType<typeof ptr> {
  return ptr(Buffer.from(`${text}\0`));
}

/** Sets an extended attribute (Linux). False where the file system has none. */
export function setAttribute(path: string, name: string, value: string | Buffer): boolean {
  const bytes = Buffer.from(value);
  return calls().setxattr(textPtr(path), textPtr(name), ptr(bytes), bytes.length, 0) === 0;
}

/** Undefined for a file that does not have it. */
export function attributeOf(path: string, name: string): string | undefined {
  const bytes = Buffer.alloc(4_096);
  const length = Number(calls().getxattr(textPtr(path), textPtr(name), ptr(bytes), bytes.length));
  return length < 0 ? undefined : bytes.toString("latin1", 0, length);
}
