import { expect } from "chai";
import { parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";

describe("the signing page where the service pays, in a browser", () => {
  const key = generatePrivateKey();
  const console = useConsole({ relayer: { key, dailyBudget: parseEther("1"), maxFee: undefined } });
  const signing = useSigningPage(console);
  const { open, shows, press } = signing;
  before(async () => {
    const { chain } = console.service.rig;
    await chain.setBalance({ address: privateKeyToAccount(key).address, value: parseEther("1") });
  });

  it("takes a signature of an author without ether, in four clicks at most, and sends it for them", async () => {
    const { rig } = console.service;
    await rig.chain.setBalance({ address: signing.author.address, value: 0n });
    const { page, fox } = await open();
    await shows(page, "nothing: the service pays the chain");
    await expectAccessible(page);
    await expectFitsPhone(page);
    fox.state.decide = "hold";
    await press(page, "Sign with Fox");
    (await fox.prompt("wallet_requestPermissions")).approve();
    (await fox.prompt("eth_signTypedData_v4")).approve();
    await shows(page, "On its way into a block");
    await rig.mine();
    await shows(page, "In a block, soon final");
    expect([fox.asked(), fox.asked("eth_signTypedData_v4")]).to.deep.equal([0, 1]);
  });

  it("lets the author pay all the same", async () => {
    const { page, fox } = await open();
    await page.getByRole("radio", { name: /^I pay it: about/ }).check();
    await press(page, "Sign with Fox");
    await shows(page, "On its way into a block");
    expect([fox.asked(), fox.asked("eth_signTypedData_v4")]).to.deep.equal([1, 0]);
  });

  it("says that another account signed", async () => {
    const { page, fox, seen } = await open();
    seen.tolerate(/status of 422/);
    fox.state.signer = privateKeyToAccount(generatePrivateKey());
    await press(page, "Sign with Fox");
    await shows(page, "Another account signed");
  });
});
