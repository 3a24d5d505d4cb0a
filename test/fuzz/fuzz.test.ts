import { expect } from "chai";
import { fuzz } from "./fuzz.ts";

describe("five hundred hostile requests", () => {
  it("get nothing but answers of the document, no failure of ours and no word of another tenant", async () => {
    const seed = 1;
    const { problems, statuses, requests } = await fuzz({ seed, requests: 500, say: () => undefined });
    expect(problems, `npm run fuzz -- --requests 500 --seed ${seed}\n${problems.join("\n")}`).to.deep.equal(
      [],
    );
    expect(requests).to.equal(500);
    // They reach what lies behind the checks, too.
    for (const status of [200, 202, 400, 401, 404, 405])
      expect(statuses.get(status), `${status}`).to.be.above(2);
  });
});
