import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { type Service, startService } from "../../support/service.ts";

describe("addresses that users write into assets", () => {
  let service: Service;
  const visits: string[] = [];
  const bait = createServer((request, response) => {
    visits.push(request.url ?? "");
    response.writeHead(302, { Location: "/redirected" }).end();
  });

  before(async () => {
    await new Promise<void>((resolve) => bait.listen(0, "127.0.0.1", resolve));
    service = await startService();
  });
  after(async () => {
    await service.stop();
    bait.closeAllConnections();
    await new Promise((resolve) => bait.close(resolve));
  });

  it("are kept as they are, and never asked for, by API or indexer", async () => {
    const url = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
    for (const uri of [`${url}/uri`, "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"]) {
      const { id } = await service.createAsset({ uri, name: `${url}/name`, data: `<a href="${url}/data">` });
      const { value } = await service.get(`/assets/${id}`);
      const items = value.customDefinitionItems as { key: string; value: string }[];
      expect(items.find(({ key }) => key === "uri")?.value).to.equal(uri);
      expect((await service.get(`/assets/?linkedTo=${id}`)).status).to.equal(200);
    }
    expect(visits).to.deep.equal([]);
    // The bait does count who comes.
    await fetch(`${url}/seen`, { redirect: "manual" });
    expect(visits).to.deep.equal(["/seen"]);
  });
});
