/** A principal as people call it. @param owner its id */
export function ownerName(owner: string): string {
  const [, kind = "", name = ""] = /^(token|jwt|jwt-client):(.*)$/s.exec(owner) ?? [];
  if (kind === "token") return name;
  const cut = name.indexOf("|");
  return kind === "" || cut === -1 ? owner : `${name.slice(cut + 1)} (${name.slice(0, cut)})`;
}
