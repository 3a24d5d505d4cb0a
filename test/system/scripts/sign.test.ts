import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import { type Hex, parseEther, toHex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { keys } from "../../support/api.ts";
import { refusal, startBadWay } from "../../support/bad-way.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Program, runNode } from "../../support/program.ts";
import { type Service, startService } from "../../support/service.ts";

const ownerKey = toHex(owner.getHdKey().privateKey ?? new Uint8Array());

describe("npm run sign", () => {
  let service: Service;
  let folder: string;
  let running: Program[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "sign-"));
    // A relayer beside it must not make a request look as if it were signed.
    service = await startService({
      relayer: { key: generatePrivateKey(), dailyBudget: parseEther("0.05") },
    });
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
    running = [];
    // What a test left unsigned is nothing to the next one.
    await service.pool.query("update service.requests set expires_at = now() where not settled");
  });

  function run(words: string[], environment: Record<string, string> = {}): Program {
    const { PATH } = process.env;
    const program = runNode(["scripts/sign.ts", ...words], {
      env: { PATH, DATA_DIR: folder, PUBLIC_URL: service.url, API_KEY: keys["tenant-a"], ...environment },
    });
    running.push(program);
    return program;
  }
  const watch = (words: string[] = [], environment: Record<string, string> = { AUTHOR_KEY: ownerKey }) =>
    run(["--watch", "--every", "0.1", ...words], environment);
  const ask = async (author = owner.address, name = "Lease") =>
    (await service.post("/assets/", { name, author })).value as { id: Hex; transactionId: string };
  const timesIn = (text: string, words: string) => text.split(words).length - 1;

  async function stop(program: Program) {
    program.child.kill("SIGINT");
    const { code, stderr } = await program.ended;
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
  }

  it("signs the one that is named, though earlier ones wait", async () => {
    await ask();
    const { transactionId } = await ask();
    const { code, stdout } = await run([transactionId], { AUTHOR_KEY: ownerKey }).ended;
    expect(stdout).to.contain("signed and handed in").and.contain("TxSignatureSubmitted");
    expect(code).to.equal(0);
    await service.rig.reach(transactionId, "Submitted");
    await service.rig.mine();
    await service.rig.reach(transactionId, "Committed");
  });

  it("says how it is used, and what is wrong with that", async () => {
    const help = await run(["--help"]).ended;
    expect(help).to.include({ code: 0, stderr: "" });
    expect(help.stdout).to.contain("--watch").and.contain("Exit code");
    for (const [words, problem] of [
      [[], "Usage"],
      [["--watch", "an-id"], "Usage"],
      [["--key", ownerKey, "an-id"], "--key"],
      [["--allow", "link", "an-id"], "--allow goes with --watch"],
      [["--watch", "--allow", "create,burn"], '"burn"'],
      [["--watch", "--max-fee", "-1"], "--max-fee"],
      [["--watch", "--max-per-hour", "0"], "--max-per-hour"],
      [["--watch", "--registry", "0x12"], "--registry"],
      [["--watch"], "AUTHOR_KEY"],
    ] as [string[], string][]) {
      const { code, stderr } = await run(words).ended;
      expect(code, problem).to.equal(1);
      expect(stderr).to.contain(problem);
    }
  });

  describe("--watch", () => {
    it("signs what waits and what comes, in the order of the requests, and ends by Ctrl-C with 0", async () => {
      const made = [await ask(), await ask(owner.address, "Deed\u001b[2J")];
      const foreign = await ask(other.address);
      const program = watch();
      await program.until(`signed ${made[1]?.transactionId}`);
      made.push(await ask());
      await program.until(`signed ${made[2]?.transactionId}`);
      for (const { transactionId } of made) await service.rig.reach(transactionId, "Submitted");
      await service.rig.mine();
      for (const { transactionId } of made) await service.rig.reach(transactionId, "Committed");
      expect(await service.rig.stateOf(foreign.transactionId)).to.deep.equal({ state: "Received" });
      await stop(program);
      const lines = program
        .output()
        .split("\n")
        .filter((line) => line.includes(" signed "));
      expect(lines.map((line) => /signed (\S+):/.exec(line)?.[1])).to.deep.equal(
        made.map(({ transactionId }) => transactionId),
      );
      const nonces = lines.map((line) => Number(/nonce (\d+)/.exec(line)?.[1]));
      expect(nonces).to.deep.equal([0, 1, 2].map((place) => (nonces[0] ?? 0) + place));
      expect(program.output()).to.contain(`create "Lease" as ${made[0]?.id}`).and.not.contain("\u001b");
    });

    it("leaves what its rules do not allow, says why once, and signs the rest all the same", async () => {
      const [parent, child] = [await service.createAsset(), await service.createAsset()];
      const link = await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
      const allowed = await ask();
      const program = watch(["--allow", "create", "--max-per-hour", "1"]);
      await program.until(`signed ${allowed.transactionId}`);
      const second = await ask();
      await program.until(`leaves ${second.transactionId}: --max-per-hour 1 is reached`);
      await service.rig.reach(allowed.transactionId, "Submitted");
      await stop(program);
      const leaves = `leaves ${link.value.transactionId}: link is not among --allow create`;
      expect(timesIn(program.output(), leaves)).to.equal(1);
      expect(timesIn(program.output(), `leaves ${second.transactionId}`)).to.equal(1);
      await service.rig.mine();

      const cheap = watch(["--max-fee", "0.000001"]);
      await cheap.until(`leaves ${second.transactionId}: the fee of`);
      await stop(cheap);
      expect(await service.rig.stateOf(second.transactionId)).to.deep.equal({ state: "Received" });
    });

    it("signs for the registry and the chain alone that it was started for", async () => {
      await ask();
      for (const words of [
        ["--registry", other.address],
        ["--chain", "1"],
      ]) {
        const { code, stdout, stderr } = await watch(words).ended;
        expect([code, stdout]).to.deep.equal([1, ""]);
        expect(stderr).to.contain("this was started for");
      }
    });

    it("signs nothing that its bytes do not show, of a service that lies", async () => {
      const [lied, told] = [await ask(), await ask(owner.address, "Deed")];
      const liar = createServer(async (request, response) => {
        const answer = await fetch(`${service.url}${request.url}`, {
          headers: { "x-api-key": keys["tenant-a"] },
        });
        const body = (await answer.json()) as { value: { data?: string } };
        if (request.url?.endsWith(lied.transactionId)) {
          const truth = (await service.get(`/transactions/${told.transactionId}`)).value;
          body.value = { ...body.value, data: truth.data };
        }
        if (request.method === "POST") response.statusCode = 500;
        response.setHeader("content-type", "application/json").end(JSON.stringify(body));
      });
      await once(liar.listen(0, "127.0.0.1"), "listening");
      try {
        const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
        const program = watch([], { AUTHOR_KEY: ownerKey, PUBLIC_URL: url });
        await program.until(`leaves ${lied.transactionId}: not as shown: its bytes are another call`);
        await stop(program);
      } finally {
        liar.close().closeAllConnections();
      }
    });

    it("reads an inbox of many pages to its end, because the oldest request is first in turn", async () => {
      const { transactionId } = await ask();
      await service.pool.query(
        `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt,
           details, content_hash, expires_at, created_at, name_key, file_digest)
         select gen_random_uuid(), tenant, kind, author, sha256(n::text::bytea), chain_id, registry, calldata, salt,
           details, content_hash, expires_at, now() + n * interval '1 ms', name_key, file_digest
         from service.requests, generate_series(1, 450) n where id = $1`,
        [transactionId],
      );
      const program = watch(["--max-per-hour", "1"]);
      await program.until(`signed ${transactionId}`);
      await stop(program);
    });

    for (const [what, fault] of Object.entries({
      "429 for longer than a call waits": refusal(429, "RATE_LIMITED", "61"),
      "408": refusal(408, "REQUEST_TIMEOUT"),
      "500": refusal(500, "INTERNAL_ERROR"),
      "a proxy's page": { status: 502, body: "<html>" },
    })) {
      it(`waits out a service that answers ${what}`, async () => {
        const { transactionId } = await ask();
        // One call and all its tries.
        const way = await startBadWay(service.url, Array(what.startsWith("429") ? 1 : 5).fill(fault));
        try {
          const program = watch([], { AUTHOR_KEY: ownerKey, PUBLIC_URL: way.url });
          await program.until("It is tried again and again.");
          if (!what.startsWith("429")) await program.until(`signed ${transactionId}`);
          await stop(program);
        } finally {
          await way.stop();
        }
      });
    }

    it("hands in once what it signed, though the answer to that was lost", async () => {
      const { transactionId } = await ask();
      // The status, the inbox and the transaction are read before.
      const faults = ["passes", "passes", "passes", "answer lost"] as const;
      const way = await startBadWay(service.url, [...faults]);
      try {
        const program = watch([], { AUTHOR_KEY: ownerKey, PUBLIC_URL: way.url });
        await program.until(`signed ${transactionId}`);
        await stop(program);
        expect(program.output()).not.to.contain("tried again");
        const posts = way.passed.filter(({ method }) => method === "POST").map(({ key }) => key);
        expect(posts).to.have.length(2);
        expect(posts[0]).to.equal(posts[1]);
      } finally {
        await way.stop();
      }
    });

    it("waits out a service that is gone, and goes on when it is back", async () => {
      const program = watch();
      await program.until("signs for");
      service.server.close().closeAllConnections();
      await program.until("Nothing answers");
      const { port } = service;
      await once(service.server.listen(port, "127.0.0.1"), "listening");
      const { transactionId } = await ask();
      await program.until(`signed ${transactionId}`);
      await program.until("the service answers again");
      expect(timesIn(program.output(), "Nothing answers")).to.equal(1);
      await stop(program);
    });

    it("ends with 1 where the service refuses its key", async () => {
      const { code, stderr } = await watch([], { AUTHOR_KEY: ownerKey, API_KEY: "wrong" }).ended;
      expect(code).to.equal(1);
      expect(stderr).to.contain("API_KEY_INVALID");
    });

    it("takes the key from a keystore, and its password from a file", async () => {
      const account = { address: owner.address, privateKey: ownerKey };
      const json = await encryptKeystoreJson(account, "secret", { scrypt: { N: 2, r: 8, p: 1 } });
      writeFileSync(join(folder, "key.json"), json);
      writeFileSync(join(folder, "password"), "secret\n");
      const words = ["--keystore", join(folder, "key.json")];
      const { transactionId } = await ask();
      const unopened = await watch(words, {}).ended;
      expect(unopened.code).to.equal(1);
      expect(unopened.stderr).to.contain("KEYSTORE_PASSWORD");
      const program = watch([...words, "--password-file", join(folder, "password")], {});
      await program.until(`signed ${transactionId}`);
      await stop(program);
    });

    it("goes on by itself when an author who cannot pay can again", async () => {
      const balance = await service.rig.chain.getBalance({ address: owner.address });
      await service.rig.chain.setBalance({ address: owner.address, value: 1n });
      const { transactionId } = await ask();
      const program = watch();
      await program.until(`leaves ${transactionId}`);
      expect(program.output()).to.contain("INSUFFICIENT_FUNDS");
      await service.rig.chain.setBalance({ address: owner.address, value: balance });
      await program.until(`signed ${transactionId}`);
      await eventually(
        "handed in",
        () => service.rig.stateOf(transactionId),
        ({ state }) => state !== "Received",
      );
      await stop(program);
    });
  });
});
