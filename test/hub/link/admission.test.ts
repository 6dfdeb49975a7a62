import { describe, expect, test } from "bun:test";

import { ClientHandshake, HubHandshake, newNonce } from "../../../src/hub/link/admission.ts";

const key = newNonce();
const expected = { key, generation: 3, hubPid: 100, clientPid: 200 };
const wish = { purpose: "kept", clientKey: "client-key" } as const;

interface Sides {
  readonly hub?: Partial<typeof expected>;
  readonly client?: Partial<typeof expected>;
}

/** Both sides talk until one of them has nothing to answer: all texts, and how each side ended. */
function talk({ hub, client }: Sides = {}) {
  const [atHub, atClient] = [
    new HubHandshake({ ...expected, ...hub }),
    new ClientHandshake({ ...expected, ...client }, wish),
  ];
  const texts: string[] = [];
  let text: string | undefined = JSON.stringify(atHub.opening);
  while (text !== undefined) {
    texts.push(text);
    const toHub = atClient.take(text);
    if (!("answer" in toHub)) return { texts, client: toHub };
    texts.push(JSON.stringify(toHub.answer));
    const toClient = atHub.take(JSON.stringify(toHub.answer));
    if (!("answer" in toClient)) return { texts, hub: toClient };
    text = JSON.stringify(toClient.answer);
  }
  return { texts };
}

describe("a handshake", () => {
  test("both sides prove the key, and then the client says what it wants", () => {
    const { texts, hub } = talk();
    expect(hub).toEqual(wish);
    expect(texts).toHaveLength(4);
    expect(texts.join("\n")).not.toContain(key);
    // Nothing but nonces and proofs has crossed before.
    expect(texts.slice(0, 3).join("\n")).not.toContain(wish.clientKey);
  });

  const noKey = "it does not know the key of this hub";
  test.each<[what: string, sides: Sides, atHub: unknown, atClient: unknown]>([
    ["another key at the client", { client: { key: newNonce() } }, { refusal: noKey }, undefined],
    ["another key at the hub", { hub: { key: newNonce() } }, { refusal: noKey }, undefined],
    ["the number of another client", { client: { clientPid: 201 } }, { refusal: noKey }, undefined],
    ["the number of another hub", { client: { hubPid: 101 } }, { refusal: noKey }, undefined],
    [
      "another generation",
      { client: { generation: 2 } },
      undefined,
      { refusal: "it is of another generation than its lock" },
    ],
  ])("%s", (_, sides, atHub, atClient) => {
    const { hub, client } = talk(sides);
    expect([hub, client]).toEqual([atHub, atClient] as never);
  });

  test("a proof from another handshake is worth nothing", () => {
    const [, proof = ""] = talk().texts;
    expect(new HubHandshake(expected).take(proof)).toEqual({ refusal: noKey });
  });

  test("the proof of the hub is not that of a client, nor the other way round", () => {
    const { texts } = talk();
    const hub = new HubHandshake(expected);
    const client = new ClientHandshake(expected, wish);
    const sent = client.take(JSON.stringify(hub.opening));
    const own = JSON.stringify("answer" in sent ? sent.answer : {});
    // Sent back as it came.
    expect(client.take(own)).toEqual({ refusal: "it does not know its own key" });
    const { proof } = JSON.parse(texts[2] ?? "{}");
    const { nonce } = JSON.parse(own);
    expect(new HubHandshake(expected).take(JSON.stringify({ nonce, proof }))).toEqual({
      refusal: noKey,
    });
  });

  const unread = { refusal: "its handshake cannot be read" };
  test.each([
    ["no JSON", "x", unread],
    ["no object", "[1]", unread],
    ["no nonce", "{}", unread],
    ["a nonce that is too short", '{"nonce":"ab","proof":"ab"}', unread],
    ["a wish before a proof", JSON.stringify(wish), unread],
    ["no proof", JSON.stringify({ nonce: newNonce() }), { refusal: noKey }],
    [
      "a proof that is no text",
      JSON.stringify({ nonce: newNonce(), proof: 1 }),
      { refusal: noKey },
    ],
  ])("the hub refuses %s", (_, text, refusal) => {
    expect(new HubHandshake(expected).take(text)).toEqual(refusal);
  });

  test.each([
    ["an unknown purpose", { ...wish, purpose: "all" }],
    ["no client key", { purpose: "kept" }],
    ["a client key with other letters", { ...wish, clientKey: "a b c d e f" }],
  ])("the hub refuses a proved client with %s", (_, asked) => {
    const hub = new HubHandshake(expected);
    const client = new ClientHandshake(expected, wish);
    const sent = client.take(JSON.stringify(hub.opening));
    hub.take(JSON.stringify("answer" in sent ? sent.answer : {}));
    expect(hub.take(JSON.stringify(asked))).toEqual({
      refusal: "it wants something that this hub does not have",
    });
  });

  test("the client learns why it was refused, at any moment", () => {
    const refused = JSON.stringify({ refused: "no room" });
    expect(new ClientHandshake(expected, wish).take(refused)).toEqual({ refusal: "no room" });
  });
});
