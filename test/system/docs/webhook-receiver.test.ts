import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { sourceCondition } from "../../../scripts/checks/workspaces.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { type Program, root, runNode } from "../../support/program.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** As the Standard Webhooks specification has it. */
function sign(by: string, signed: string): string {
  const key = Buffer.from(by.replace("whsec_", ""), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

const event = {
  id: "3e4c2f08-5d0c-4c6b-9a55-1f0f4b8f5a11",
  sequence: 17,
  kind: "request.Confirmed",
  time: "2026-11-28T02:11:43.510+00:00",
  data: { id: "ddc3911c-090c-4831-a37d-48a6dab94ae5", state: "Confirmed" },
};
const body = JSON.stringify(event);

/** The program of docs/events.md, as a reader copies it. */
describe("the receiver of docs/events.md", () => {
  let receiver: Program;
  let url: string;

  before(async () => {
    const text = await readFile(join(root, "docs", "events.md"), "utf8");
    const [, code = ""] = /^```js\n(.*?)^```$/ms.exec(text) ?? [];
    expect(code.trimEnd().split("\n").length).to.be.within(10, 20);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    receiver = runNode([`--conditions=${sourceCondition}`, "--input-type=module", "--eval", code], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    });
    await eventually("an answer", listens, (answers) => answers);
  });
  after(async () => {
    receiver?.child.kill();
    await receiver?.ended;
  });

  const listens = () =>
    fetch(url).then(
      () => true,
      () => {
        expect(receiver.child.exitCode, receiver.output()).to.equal(null);
        return false;
      },
    );

  async function deliver(signedBy: string, { sent = body, at = new Date() } = {}): Promise<number> {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "webhook-id": event.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": sign(signedBy, `${event.id}.${timestamp}.${body}`),
      },
      body: sent,
    });
    await response.text();
    return response.status;
  }

  const told = () => receiver.output().split("request.Confirmed").length - 1;

  it("takes what the service signed, and deals once with what comes twice", async () => {
    expect(await deliver(secret)).to.equal(204);
    expect(await deliver(secret)).to.equal(204);
    await receiver.until("request.Confirmed");
    expect(receiver.output()).to.include('"state":"Confirmed"');
    expect(told()).to.equal(1);
  });

  it("refuses another secret, other words, an old time, and what is no delivery", async () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
    expect(await deliver(other)).to.equal(400);
    expect(await deliver(secret, { sent: body.replace("Confirmed", "Received") })).to.equal(400);
    expect(await deliver(secret, { at: new Date(Date.now() - 600_000) })).to.equal(400);
    expect((await fetch(url, { method: "POST", body })).status).to.equal(400);
    expect(told()).to.be.at.most(1);
  });
});
