import type { SearchedTool } from "../../src/upstream/snapshot.ts";
import { pick, randomFrom } from "./random.ts";

/**
 * Invented tools that nearly match: the verbs and nouns of the real ones, but always about something else that belongs to
 * them (a label of an issue, a quota of a bucket), on invented servers. None of them is what any query of the benchmark asks for.
 */
export function inventTools(count: number, seed: number): readonly SearchedTool[] {
  const random = randomFrom(seed);
  const tools = new Map<string, SearchedTool>();
  while (tools.size < count) {
    const tool = inventTool(random);
    tools.set(tool.listing.name, tool);
  }
  return [...tools.values()];
}

function inventTool(random: () => number): SearchedTool {
  const server = `${pick(brands, random)}-${pick(areas, random)}`;
  const verb = pick(verbs, random);
  const noun = pick(nouns, random);
  const part = pick(parts, random);
  const tool = [verb, ...noun.split(" "), part].join("_");
  const plural = verb === "list" || verb === "search";
  const purpose = pick(purposes, random);
  const verbForm = verb.charAt(0).toUpperCase() + verb.slice(1);
  const object = `${noun} ${part}${plural ? "s" : ""}`;
  const key = `${noun.replaceAll(" ", "_")}_id`;
  const texts: Readonly<Record<string, string>> = {
    [key]: `Id of the ${noun} whose ${part} is meant`,
    [pick(optional, random)]: `Optional, for the ${part}`,
  };
  const properties = Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [name, { type: "string", description }]),
  );
  return {
    server,
    tool,
    listing: {
      name: `mcp__${server}__${tool}`,
      description: `${verbForm} the ${object} in the ${server.replace("-", " ")} ${pick(places, random)}. ${purpose}`,
      inputSchema: { type: "object", properties, required: [key] },
    },
  };
}

const words = (text: string): readonly string[] => text.split(",").map((word) => word.trim());

const brands = words(
  "contoso, globex, initech, umbrella, hooli, vandelay, wonka, stark, wayne, tyrell, cyberdyne, soylent, oscorp, aperture, monarch, nakatomi, gringotts, dunder, pied, bluth, sterling, prestige, massive, virtucon, zorin",
);
const areas = words("desk, cloud, hub, suite, ops, works, labs, flow");
const verbs = words(
  "get, list, create, update, delete, search, add, remove, set, start, stop, read, write, export, move, run, check, open, close, send",
);
const nouns = words(
  "issue, pull request, repository, branch, commit, file, folder, message, channel, user, page, database, collection, document, record, table, field, customer, contact, deal, pod, deployment, cluster, node, log, image, screenshot, cookie, tab, form, button, video, website, url, place, address, route, task, event, comment, block, process, session, command, index, query, alert, chart, service, design, report, paper",
);
const parts = words(
  "template, policy, webhook, quota, alias, schedule, badge, draft, archive, retention, watcher, subscription, milestone, approval, checksum, owner, locale, theme, rating, survey, reminder, escalation, budget, forecast, certificate, migration, signature, replica, bookmark, category",
);
const places = words("workspace, account, tenant, organization, project");
const purposes = words(
  "Returns the new state., Needs the admin role., Results are paginated., Use it before you change anything else., Idempotent., Fails when it is locked.",
);
const optional = words("limit, cursor, name, reason, format, since, locale, dry_run");
