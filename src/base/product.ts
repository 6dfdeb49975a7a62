import { repository, version } from "../../package.json";

/** Name, title and version of the program: in `serverInfo`, in help and in `version`. */
export const product = {
  name: "scorpiox-code",
  title: "scorpiox-code",
  version,
  description:
    "One executable that gives an AI client working tools over the Model Context Protocol",
} as const;

/** Where the program comes from; undefined while `repository` of `package.json` is the placeholder for an owner. */
export const homepage = repository.startsWith("github:OWNER/")
  ? undefined
  : repository.replace("github:", "https://github.com/");
