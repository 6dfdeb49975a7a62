import { version } from "../../package.json";

/** What the program says of itself: in `serverInfo`, in help and in `version`. */
export const product = {
  name: "scorpiox-code",
  title: "scorpiox-code",
  version,
  description:
    "One executable that gives an AI client working tools over the Model Context Protocol",
} as const;
