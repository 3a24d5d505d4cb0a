import { expect } from "chai";
import type { Session } from "../../../web/src/identity/session.ts";
import { createSessionStore } from "../../../web/src/identity/session-store.ts";

const session: Session = {
  token: "token",
  idToken: "id",
  issuer: "https://id.example",
  subject: "alice",
  name: "Alice",
  endsAt: 10_000,
};

function keeper(kept: Record<string, string> = {}) {
  const values = new Map(Object.entries(kept));
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

describe("the session of a tab", () => {
  it("is kept while pages are loaded anew, until it is forgotten", () => {
    const kept = keeper();
    const store = createSessionStore(kept, () => 0);
    const seen: string[] = [];
    store.subscribe(() => void seen.push(store.get().status));
    store.begin(session);
    const again = createSessionStore(kept, () => 0);
    expect(again.get()).to.deep.equal({ status: "in", session });
    again.forget();
    store.forget();
    expect(seen).to.deep.equal(["in", "out"]);
    expect(kept.values.size).to.equal(0);
    expect(createSessionStore(kept).get()).to.deep.equal({ status: "out" });
  });

  it("ends with its token, by itself", async () => {
    let now = 0;
    const store = createSessionStore(keeper(), () => now);
    const ended = new Promise<void>((resolve) =>
      store.subscribe(() => store.get().status === "ended" && resolve()),
    );
    store.begin({ ...session, endsAt: 20 });
    expect(store.get().status).to.equal("in");
    now = 20;
    await ended;
    expect(store.get()).to.deep.include({ session: { ...session, endsAt: 20 } });
  });

  it("ends where the service takes its token no more, and not for an older token", () => {
    const kept = keeper();
    const store = createSessionStore(kept, () => 0);
    store.begin(session);
    store.end("another");
    expect(store.get().status).to.equal("in");
    store.end("token");
    expect(store.get().status).to.equal("ended");
    expect(createSessionStore(kept, () => 0).get().status).to.equal("ended");
    store.forget();
  });

  it("is nobody's where what was kept is no session, or nothing may be kept", () => {
    const key = "asset-registry-session";
    for (const text of ["", "{", "null", "[]", '"text"', "{}", JSON.stringify({ ...session, token: 1 })]) {
      expect(createSessionStore(keeper({ [key]: text })).get(), text).to.deep.equal({ status: "out" });
    }
    const forbidden = () => {
      throw new Error("SecurityError");
    };
    const store = createSessionStore(
      { getItem: forbidden, setItem: forbidden, removeItem: forbidden },
      () => 0,
    );
    store.begin(session);
    expect(store.get().status).to.equal("in");
    store.forget();
    expect(store.get().status).to.equal("out");
  });
});
