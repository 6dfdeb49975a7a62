import { termsOf } from "./words.ts";

/** Words that people use for the same thing, when they speak of tools. A group may hold a pair of words. */
const groups: readonly (readonly string[])[] = [
  ["send", "post", "write", "publish", "reply"],
  ["create", "make", "add", "new", "insert", "open", "start", "generate"],
  ["write", "save", "store", "put"],
  [
    "get",
    "fetch",
    "read",
    "retrieve",
    "show",
    "view",
    "look",
    "see",
    "display",
    "describe",
    "info",
  ],
  ["list", "show", "enumerate", "available", "browse"],
  ["search", "find", "query", "look", "lookup", "locate", "grep"],
  ["update", "edit", "change", "modify", "set", "rename", "patch", "rewrite", "replace"],
  ["delete", "remove", "drop", "erase", "destroy", "clear", "discard"],
  ["run", "execute", "start", "launch", "invoke", "evaluate"],
  ["stop", "kill", "end", "terminate", "cancel", "abort"],
  ["close", "dismiss", "finish"],
  ["copy", "duplicate", "clone", "fork"],
  ["move", "transfer", "relocate", "rename"],
  ["upload", "attach", "push"],
  ["download", "export", "save"],
  ["join", "merge", "combine"],
  ["compare", "diff", "difference", "changed"],
  ["undo", "revert", "rollback", "restore"],
  ["count", "number", "many", "total", "amount"],
  ["wait", "pause", "sleep"],
  ["check", "verify", "test", "validate", "status"],
  ["click", "press", "tap", "push"],
  ["type", "enter", "fill", "input"],
  ["scroll", "swipe"],
  ["comment", "note", "remark", "reply"],
  ["file", "document", "doc"],
  ["folder", "directory", "dir"],
  ["mail", "email", "inbox"],
  ["message", "chat", "dm"],
  ["repo", "repository", "project"],
  ["issue", "ticket", "bug", "problem"],
  ["pr", "pull request", "merge request", "mr"],
  ["commit", "revision"],
  ["branch", "ref"],
  ["person", "people", "user", "member", "contact", "colleague", "teammate"],
  ["customer", "client", "buyer"],
  ["company", "organization", "org", "team"],
  ["channel", "room", "conversation"],
  ["emoji", "reaction", "thumbs"],
  ["picture", "image", "photo", "screenshot"],
  ["screenshot", "capture", "snapshot"],
  ["page", "website", "site", "url", "web"],
  ["link", "url"],
  ["browser", "tab", "window"],
  ["navigate", "visit", "goto", "open", "go"],
  ["crawl", "scrape", "extract"],
  ["db", "database", "sql"],
  ["table", "collection", "base"],
  ["row", "record", "entry", "item", "document"],
  ["column", "field", "property"],
  ["schema", "structure"],
  ["index", "indexes", "indices"],
  ["money", "payment", "pay", "charge"],
  ["refund", "reimburse"],
  ["bill", "invoice"],
  ["price", "cost"],
  ["coupon", "discount"],
  ["subscription", "plan"],
  ["map", "place", "location", "address"],
  ["address", "geocode", "coordinates", "latitude"],
  ["route", "directions", "path"],
  ["near", "nearby", "around", "close"],
  ["far", "distance"],
  ["height", "elevation", "altitude"],
  ["calendar", "event", "meeting", "appointment"],
  ["task", "todo"],
  ["kubernetes", "k8s", "cluster", "kubectl"],
  ["pod", "container"],
  ["log", "logs", "console", "output"],
  ["error", "exception", "crash", "failure"],
  ["speed", "performance", "slow", "fast", "trace"],
  ["memory", "heap", "ram"],
  ["memory", "knowledge", "remember", "graph"],
  ["program", "process", "command", "app"],
  ["shell", "terminal", "command", "bash"],
  ["docs", "documentation", "manual", "reference", "guide"],
  ["library", "package", "dependency", "module"],
  ["deploy", "rollout", "release"],
  ["size", "resize", "width", "viewport"],
  ["setting", "config", "configuration", "option"],
  ["secret", "password", "credential", "token"],
  ["login", "log in", "sign in", "authenticate", "auth"],
  ["whoami", "self", "me", "current"],
  ["recent", "latest", "last", "history"],
  ["think", "reason", "plan"],
  ["draw", "paint", "illustrate", "generate"],
  ["answer", "respond", "reply"],
  ["permission", "allowed", "access"],
  ["label", "tag"],
  ["assign", "assignee", "owner"],
  ["approve", "review", "accept"],
  ["request", "call", "http"],
  ["network", "request", "traffic"],
];

/** Stem, or two stems with a blank between them → the stems that may stand for it. */
const table: ReadonlyMap<string, readonly string[]> = tableOf(groups);

/** Terms that may be meant by a term, or by two with a blank between them; not the term itself. */
export function synonymsOf(term: string): readonly string[] {
  return table.get(term) ?? [];
}

function tableOf(all: typeof groups): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, Set<string>>();
  for (const group of all) {
    const members = group.map((words) => termsOf(words));
    for (const member of members) {
      const set = sets.get(member.join(" ")) ?? new Set<string>();
      sets.set(member.join(" "), set);
      for (const term of members.flat()) if (!member.includes(term)) set.add(term);
    }
  }
  return new Map([...sets].map(([term, set]) => [term, [...set]]));
}
