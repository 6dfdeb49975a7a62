import { expect, test } from "bun:test";
import { createServer } from "node:net";

import { EngineLook } from "../../src/compose/engine-look.ts";
import { until } from "../commands/process/until.ts";

async function lookAt(port: number): Promise<boolean> {
  const results: boolean[] = [];
  const { look } = new EngineLook({ hostname: "127.0.0.1", port }, (isWell) => {
    results.push(isWell);
  });
  look();
  // The second one is too soon.
  look();
  await until(() => results.length > 0);
  expect(results).toHaveLength(1);
  return results[0] === true;
}

test("an engine is well as long as it accepts connections", async () => {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  expect(await lookAt(port)).toBe(true);
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  expect(await lookAt(port)).toBe(false);
});
