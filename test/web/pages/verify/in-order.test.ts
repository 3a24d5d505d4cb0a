import { expect } from "chai";
import { createOrder } from "../../../../web/src/pages/verify/in-order.ts";

describe("files that are dropped one after the other", () => {
  it("are taken in that order, whichever is read sooner", async () => {
    const order = createOrder();
    const taken: string[] = [];
    const [slow, quick] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const first = order.take(slow.promise, (name) => taken.push(name));
    const second = order.take(quick.promise, (name) => taken.push(name));
    quick.resolve("second");
    await quick.promise;
    slow.resolve("first");
    await Promise.all([first, second]);
    expect(taken).to.deep.equal(["first", "second"]);
  });

  it("are not taken where the question was begun anew meanwhile", async () => {
    const order = createOrder();
    const taken: string[] = [];
    const slow = Promise.withResolvers<string>();
    const old = order.take(slow.promise, (name) => taken.push(name));
    order.beginAnew();
    const next = order.take(Promise.resolve("new"), (name) => taken.push(name));
    slow.resolve("old");
    await Promise.all([old, next]);
    expect(taken).to.deep.equal(["new"]);
  });
});
