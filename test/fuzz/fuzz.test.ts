import { expect } from "chai";
import { fuzz } from "./fuzz.ts";

describe("seven hundred hostile requests", () => {
  it("get nothing but answers of the document, no failure of ours and no word of another tenant", async () => {
    const seed = 1;
    const { problems, statuses, requests } = await fuzz({ seed, requests: 700, say: () => undefined });
    expect(problems, `npm run fuzz -- --requests 700 --seed ${seed}\n${problems.join("\n")}`).to.deep.equal(
      [],
    );
    expect(requests).to.equal(700);
    // They reach what lies behind the checks, too.
    for (const status of [200, 202, 400, 401, 404, 405])
      expect(statuses.get(status), `${status}`).to.be.above(2);
  });
});
