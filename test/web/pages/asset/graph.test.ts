import type { PublicLinks } from "asset-registry-client";
import { expect } from "chai";
import { layoutOf, nearest, size } from "../../../../web/src/pages/asset/graph/layout.ts";
import {
  around,
  changed,
  type GraphChange,
  graphOf,
  type LinkGraphState,
  mostNodes,
} from "../../../../web/src/pages/asset/graph/link-graph.ts";

const links = (to: string[], from: string[] = [], revoked: string[] = []) =>
  ({
    to: [...to.map((id) => ({ id })), ...revoked.map((id) => ({ id, revokedOn: "…" }))],
    from: from.map((id) => ({ id })),
  }) as unknown as PublicLinks;
const read = (id: string, found: PublicLinks, isAll = true): GraphChange => ({
  ...{ kind: "read", id, links: found, isAll },
  names: new Map([["b", "Bee"]]),
});
const walked = (...changes: GraphChange[]): LinkGraphState => changes.reduce(changed, graphOf("a", "Ay"));
const columnsOf = ({ nodes }: LinkGraphState) =>
  Object.fromEntries(Array.from(nodes.values(), ({ id, column }) => [id, column]));
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

describe("the graph of links", () => {
  it("has what an asset points to on its right, what points to it on its left, and no revoked link", () => {
    const graph = walked(read("a", links(["b", "c"], ["p"], ["r"])));
    expect(columnsOf(graph)).to.deep.equal({ a: 0, b: 1, c: 1, p: -1 });
    expect([...graph.edges.keys()]).to.deep.equal(["a b", "a c", "p a"]);
    expect(graph.nodes.get("b")).to.include({ name: "Bee", links: "unread" });
    expect(graph.nodes.get("a")).to.include({ name: "Ay", links: "all" });
  });

  it("grows as it is walked, and keeps each asset and link once and in its place", () => {
    const graph = walked(
      read("a", links(["b"])),
      { kind: "go", id: "b" },
      { kind: "reading", id: "b" },
      read("b", links(["c", "a"], ["a", "p"])),
    );
    expect(graph.current).to.equal("b");
    expect(columnsOf(graph)).to.deep.equal({ a: 0, b: 1, c: 2, p: 0 });
    expect([...graph.edges.keys()]).to.deep.equal(["a b", "b c", "b a", "p b"]);
  });

  it("says what is around an asset, in both directions", () => {
    const graph = walked(read("a", links(["b", "c"], ["p"])), read("b", links(["a"])));
    const { to, from } = around(graph, "a");
    expect(to.map(({ id }) => id)).to.deep.equal(["b", "c"]);
    expect(from.map(({ id }) => id)).to.deep.equal(["p", "b"]);
    expect(around(graph, "x")).to.deep.equal({ to: [], from: [] });
  });

  it("says of each asset how far its links were read, and ignores assets that it does not have", () => {
    expect(walked({ kind: "reading", id: "a" }).nodes.get("a")?.links).to.equal("reading");
    expect(walked({ kind: "failed", id: "a" }).nodes.get("a")?.links).to.equal("some");
    expect(walked(read("a", links(["b"]), false)).nodes.get("a")?.links).to.equal("some");
    expect(walked(read("x", links(["y"])), { kind: "go", id: "x" })).to.deep.equal(graphOf("a", "Ay"));
  });

  it("is bounded, however many links there are", () => {
    const graph = walked(read("a", links(numbered(5_000))), read("n1", links(["n0", "new"])));
    expect(graph.nodes.size).to.equal(mostNodes);
    expect(graph.edges.has("n1 n0")).to.equal(true);
    expect(graph.edges.has("n1 new")).to.equal(false);
  });
});

describe("the places of assets in the graph", () => {
  const graph = walked(read("a", links(numbered(300), ["p", "q"])));
  const places = layoutOf(graph.nodes.values());
  const at = (id: string) => places.get(id) ?? expect.fail(id);

  it("are columns from parents to children, no two on each other", () => {
    expect(at("p").x).to.be.below(at("a").x);
    for (const id of numbered(300)) expect(at(id).x).to.be.above(at("a").x + size.width);
    const all = [...places.values()];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        const apart = Math.abs(one.x - other.x) >= size.width || Math.abs(one.y - other.y) >= size.height;
        expect(apart).to.equal(true);
      }
    }
  });

  it("are near each other, those of hundreds too", () => {
    const [xs, ys] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)];
    const width = Math.max(...xs) - Math.min(...xs);
    const height = Math.max(...ys) - Math.min(...ys);
    expect(width).to.be.below(4_000);
    expect(height).to.be.below(2_500);
  });

  it("are reached from each other by the arrow keys", () => {
    expect(nearest(places, "a", "left")).to.be.oneOf(["p", "q"]);
    expect(nearest(places, "p", "down")).to.equal("q");
    expect(nearest(places, "q", "up")).to.equal("p");
    expect(nearest(places, "p", "right")).to.equal("a");
    expect(nearest(places, "p", "left")).to.equal(undefined);
    expect(nearest(places, "none", "left")).to.equal(undefined);
    const seen = new Set<string>();
    // Every asset is reached by some way of arrows.
    for (const queue = ["a"]; queue.length > 0; ) {
      const id = queue.pop() as string;
      if (seen.has(id)) continue;
      seen.add(id);
      for (const direction of ["left", "right", "up", "down"] as const) {
        const next = nearest(places, id, direction);
        if (next !== undefined) queue.push(next);
      }
    }
    expect(seen.size).to.equal(places.size);
  });
});
