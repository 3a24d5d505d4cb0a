import { expect } from "chai";
import { expectError, startApi } from "../../support/api.ts";
import { startLiar } from "../../support/chain/liar.ts";
import { startService } from "../../support/service.ts";

describe("a node that never answers eth_getProof", () => {
  it("is left for the next one after five seconds, and holds up nothing else", async () => {
    const service = await startService();
    const liar = await startLiar(service.rig.anvil.url);
    const { database, registry, anvil } = service.rig;
    const behind = (rpcUrl: string) => startApi({ database, registry, rpcUrl, indexed: false });
    const [several, alone] = [await behind(`${liar.url},${anvil.url}`), await behind(liar.url)];
    try {
      const { id } = await service.createAsset();
      await service.rig.mine(4);
      await service.rig.caughtUp();
      liar.on("eth_getProof", () => "hold");
      const { value } = await several.post("/assets/", { name: "Next", author: registry.address });
      const proofs = [several.get(`/assets/${id}/proof`), alone.get(`/assets/${id}/proof`)] as const;
      const begun = performance.now();
      expect((await several.get(`/transactions/${value.transactionId}`)).status).to.equal(200);
      expect((await alone.get(`/assets/${id}`)).status).to.equal(200);
      expect(performance.now() - begun).to.be.below(2_000);
      const [proven, late] = await Promise.all(proofs);
      expect(proven.status, proven.error?.message).to.equal(200);
      expectError(late, 503, "NODE_UNAVAILABLE");
      expect(several.services.chain.health()[0]).to.include({ inUse: true, up: true });
    } finally {
      for (const api of [several, alone]) await api.stop();
      await liar.stop();
      await service.stop();
    }
  });
});
