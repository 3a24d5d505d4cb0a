import { expect } from "chai";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";

/** Milliseconds for what the indexer or the page does only after a while. */
const LONG = { timeout: 120_000 };

describe("the signing page, for as long as it takes", () => {
  const console = useConsole();
  const signing = useSigningPage(console);
  const { open, press, shows } = signing;

  it("ends its waiting for a silent wallet within a minute, with a way on", async () => {
    const { page, fox } = await open();
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    const prompt = await fox.prompt("wallet_requestPermissions");
    await page.getByText("Your wallet has not answered yet").waitFor({ timeout: 60_000 });
    prompt.reject();
    fox.state.decide = "approve";
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
  });

  it("says why a transaction waits, and that it goes on", async () => {
    const { rig } = console.service;
    const { page, transactionId } = await open();
    // The service holds the signed transaction, and sends it again when this node has forgotten it.
    await console.service.approve(transactionId, signing.author);
    await shows(page, "On its way into a block");
    await rig.anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x174876e800"]);
    await rig.mine(5);
    await page.getByText("Its fee is too low just now").waitFor(LONG);
    await rig.anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x3b9aca00"]);
    await rig.mine();
    await shows(page, "On its way into a block");
    await rig.mine();
    await page.getByText("In a block, soon final").waitFor(LONG);
  });

  it("says that the chain lost it, and lets the author send it anew from the wallet", async () => {
    const { rig } = console.service;
    const { page, fox } = await open();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    await rig.anvil.rpc("anvil_dropAllTransactions");
    await page.getByText("The chain has lost sight of it").waitFor(LONG);
    await fox.replace();
    await rig.mine();
    await page.getByText("In a block, soon final").waitFor(LONG);
  });

  it("says that the index is behind, and follows when it is not any more", async () => {
    const { rig } = console.service;
    const { page } = await open();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    await rig.stopIndexer();
    try {
      await rig.mine(20);
      await page.getByText(/^On its way for \d+ min$/).waitFor({ timeout: 180_000 });
    } finally {
      await rig.startIndexer();
    }
    await page.getByText("Done: it is final").waitFor(LONG);
    expect(await page.getByText("blocks behind the chain").count()).to.equal(0);
  }).timeout(400_000);
});
