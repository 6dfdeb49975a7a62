import { catalogue } from "../../../src/tools/catalogue.ts";

/** The tools of this version, in their order; test/tools/published-tools.ts has what of it is a contract. */
export const builtTools: readonly string[] = [...catalogue.keys()];
