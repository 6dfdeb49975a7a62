import { version as ownVersion } from "../../package.json";

/** `_meta` of every modern result. */
export const ownMeta = {
  "io.modelcontextprotocol/serverInfo": {
    name: "scorpiox-code",
    title: "scorpiox-code",
    version: ownVersion,
    description:
      "One executable that gives an AI client working tools over the Model Context Protocol",
  },
} as const;
