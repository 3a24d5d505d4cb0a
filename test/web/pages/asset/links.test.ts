import type { PublicAsset, PublicLink, PublicLinks, PublicQuery } from "asset-registry-client";
import { expect } from "chai";
import { isLastPage, linkRows } from "../../../../web/src/pages/asset/links/link-rows.ts";
import { namesAround } from "../../../../web/src/pages/asset/links/neighbours.ts";

const link = (id: string, addedOn: string, revokedOn?: string) =>
  ({ id, addedOn, final: true, ...(revokedOn !== undefined && { revokedOn }) }) as PublicLink;

describe("the links of an asset's page", () => {
  it("are those that stand by direction, and the revoked ones of both, the newest first", () => {
    const pages: PublicLinks[] = [
      { to: [link("0x1", "1"), link("0x2", "2")], from: [link("0x3", "3", "5")] },
      { to: [link("0x4", "1", "4"), link("0x5", "1", "6")], from: [] },
    ];
    const { to, from, revoked } = linkRows(pages);
    expect(to.map(({ id }) => id)).to.deep.equal(["0x1", "0x2"]);
    expect(from).to.deep.equal([]);
    expect(revoked.map(({ id, direction }) => `${direction} ${id}`)).to.deep.equal([
      ...["to 0x5", "from 0x3", "to 0x4"],
    ]);
  });

  it("end with a page that has less of both directions than it could", () => {
    const one = [link("0x1", "1")];
    expect(isLastPage({ to: one, from: [] }, 2)).to.equal(true);
    expect(isLastPage({ to: one, from: [] }, 1)).to.equal(false);
    expect(isLastPage({ to: [], from: one }, 1)).to.equal(false);
  });

  it("get their names by lists of the assets around, a bounded part of them", async () => {
    const asked: PublicQuery[] = [];
    let read = 0;
    const registry = {
      async *publicAssets(query: PublicQuery) {
        asked.push(query);
        for (let at = 0; at < 5_000; at += 1) {
          read += 1;
          yield {
            id: `${query.linkedTo ?? query.linkedFrom} ${at}`,
            name: `Asset ${at}`,
          } as unknown as PublicAsset;
          if (query.linkedTo !== undefined) return;
        }
      },
    };
    const names = await namesAround(registry, "0x1");
    expect(asked).to.deep.equal([
      { linkedFrom: "0x1", size: 200 },
      { linkedTo: "0x1", size: 200 },
    ]);
    expect(read).to.equal(601);
    expect(names.get("0x1 599")).to.equal("Asset 599");
  });
});
