import { ConnectionError, RegistryError } from "asset-registry-client";
import { expect } from "chai";
import { deliver } from "../../../../web/src/pages/sign/rules/deliver.ts";
import { keepNote, readNote } from "../../../../web/src/pages/sign/rules/note.ts";

const failure = (code: string, status: number) =>
  new RegistryError({
    code: code as never,
    status,
    message: code,
    details: [],
    requestId: undefined,
    retryAfter: undefined,
  });
const hash = `0x${"a1".repeat(32)}` as const;

/** A service that fails in these ways before it takes an answer. */
function service(...failures: Error[]) {
  const taken: unknown[] = [];
  const take = async (_id: string, body: unknown) => {
    taken.push(body);
    const error = failures.shift();
    if (error !== undefined) throw error;
    return {} as never;
  };
  return { taken, submit: take, refuse: take };
}
const at = (
  of: ReturnType<typeof service>,
  answer: Parameters<typeof deliver>[2],
  signal = new AbortController().signal,
) => deliver(of, "t", answer, signal, async (given) => given.throwIfAborted());

describe("handing in the author's answer", () => {
  it("tries again while the service is away or busy, with the same answer", async () => {
    const away = service(
      new ConnectionError("no answer"),
      failure("NODE_UNAVAILABLE", 503),
      failure("RATE_LIMITED", 429),
    );
    await at(away, { way: "send", transactionHash: hash });
    expect(away.taken).to.deep.equal(Array(4).fill({ transactionHash: hash }));
    const refused = service(new ConnectionError("no answer"));
    await at(refused, { way: "refuse", signature: "0xab" });
    expect(refused.taken).to.deep.equal(["0xab", "0xab"]);
  });

  it("ends where the service refuses it, and where the page is left", async () => {
    for (const error of [failure("TRANSACTION_CLOSED", 409), failure("RELAYER_BUDGET_SPENT", 429)]) {
      const refusing = service(error);
      expect(await at(refusing, { way: "gasless", signature: "0xab" }).catch((thrown) => thrown)).to.equal(
        error,
      );
      expect(refusing.taken).to.deep.equal([{ signature: "0xab" }]);
    }
    const left = AbortSignal.abort(new Error("left"));
    const thrown = await at(
      service(new ConnectionError("no")),
      { way: "gasless", signature: "0xab" },
      left,
    ).catch((error) => error);
    expect(thrown.message).to.equal("left");
  });

  it("is remembered by the tab, whose memory may be broken or forbidden", () => {
    const stored = new Map<string, string>();
    const memory = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const note = { at: 1, answer: { way: "send", transactionHash: hash } } as const;
    keepNote("t", note, memory);
    expect(readNote("t", memory)).to.deep.equal(note);
    expect(readNote("other", memory)).to.equal(undefined);
    for (const text of ["{", "null", "1", "{}"]) {
      memory.setItem([...stored.keys()][0] ?? "", text);
      expect(readNote("t", memory)).to.equal(undefined);
    }
    keepNote("t", undefined, memory);
    expect(stored.size).to.equal(0);
    const forbidden = new Proxy(memory, {
      get() {
        throw new Error("forbidden");
      },
    });
    keepNote("t", note, forbidden);
    expect(readNote("t", forbidden)).to.equal(undefined);
  });
});
