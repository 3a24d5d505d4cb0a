import { randomUUID } from "node:crypto";
import { type Address, getAddress, type Hex, keccak256, toHex } from "viem";
import { inTransaction, type Pool, type Transaction } from "../../../db/core/pool.ts";
import type { Change as AskedChange } from "../../../db/service/requests/request.ts";
import { linkNonceOf } from "../../../domain/asset/gasless.ts";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import { ApiError } from "../../../domain/errors.ts";
import { assetId } from "../../support/asset-id.ts";
import {
  handIn,
  refuse as refuseRequest,
  reportHash,
  signForRelayer,
  storeRequest,
} from "../../support/database/writes.ts";
import { calldataOf, sampleDetails } from "../../support/rigs/rig.ts";
import type { Sent, SimulatedChain } from "./chain.ts";
import type { Command } from "./commands.ts";
import { type Asked, expectedState, handedIn, isOver } from "./model.ts";
import type { Call, Change } from "./registry.ts";

export const registry: Registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };
export const confirmations = 5;

/** An author and a stranger who sends for them, with everything that they have done. */
export type Person = {
  address: Address;
  stranger: Address;
  asked: Asked[];
  /** Transactions that can be sent again, or for the first time. */
  lost: Sent[];
};

export const person = (seed: string): Person => {
  const address = (of: string) => getAddress(keccak256(toHex(`${seed} ${of}`)).slice(0, 42));
  return { address: address("author"), stranger: address("stranger"), asked: [], lost: [] };
};

export const sendersOf = ({ address, stranger }: Person): Address[] => [address, stranger];

/** Lets one command happen to the database, the chain, and what the model knows. */
export async function act(pool: Pool, chain: SimulatedChain, who: Person, command: Command): Promise<void> {
  const { address: author, stranger, asked, lost } = who;
  const nextNonce = (sender: Address) => chain.nonceOf(sender) + chain.poolOf(sender).length;
  const pick = ({ which }: { which: number }) => asked.at(-1 - (which % Math.max(1, asked.length)));

  function send(sent: Sent): boolean {
    const replaced = chain.poolOf(sent.sender).find(({ nonce }) => nonce === sent.nonce);
    const taken = chain.send(sent);
    if (taken && replaced !== undefined) lost.push(replaced);
    if (!taken) lost.push(sent);
    return taken;
  }
  const sendCall = (sender: Address, call: Call, calldata: Hex = "0x"): Sent | undefined => {
    const sent = chain.sign({ sender, nonce: nextNonce(sender), fee: 1, enoughGas: true, call, calldata });
    return send(sent) ? sent : undefined;
  };
  const report = (one: Asked, { hash }: Sent) => isTaken(pool, (tx) => reportHash(tx, one.id, hash));

  async function sign(one: Asked | undefined): Promise<void> {
    if (one === undefined || isClosed(one, chain)) return;
    if (await isTaken(pool, (tx) => signForRelayer(tx, one.id))) one.signed = true;
  }
  function relay(one: Asked | undefined): void {
    if (!one?.signed || one.expired) return;
    sendCall(stranger, { ...one.call, gasless: true }, `${one.calldata}00`);
  }
  async function carryOut(one: Asked, gasless: boolean): Promise<void> {
    if (!gasless) return void sendCall(author, one.call, one.calldata);
    await sign(one);
    relay(one);
  }

  switch (command.do) {
    case "nothing":
    case "mine":
      return;
    case "mood":
      return chain.setMood(author, command.mood);
    case "create":
      await create(pool, who);
      return;
    case "found":
      for (let count = 0; count < 3; count += 1) {
        const one = await create(pool, who);
        sendCall(author, one.call, one.calldata);
      }
      return;
    case "link":
    case "revoke": {
      const one = await changeLinks(pool, chain, who, command);
      if (one !== undefined && command.carriedOut !== "no")
        await carryOut(one, command.carriedOut === "gasless");
      return;
    }
    case "hand in":
    case "send": {
      const one = pick(command);
      if (one === undefined) return;
      const closed = isClosed(one, chain);
      // What the service says of a request stops no wallet.
      if (closed && command.do === "hand in") return;
      const own = [...one.known.values()].filter(({ foreign }) => !foreign).at(-1)?.nonce;
      const sent = chain.sign({
        sender: author,
        nonce: command.again ? (own ?? nextNonce(author)) : nextNonce(author),
        fee: command.fee,
        enoughGas: command.enoughGas,
        call: one.call,
        calldata: one.calldata,
      });
      if (command.do === "hand in") {
        if (!(await isTaken(pool, (tx) => handIn(tx, one.id, sent)))) return;
        one.known.set(sent.hash, handedIn(sent.nonce));
        // The wallet may send it, too.
        lost.push(sent);
      } else if (send(sent) && command.tell && !closed) {
        if (await report(one, sent)) one.reported.add(sent.hash);
      }
      return;
    }
    case "carry out": {
      const one = pick(command);
      if (one !== undefined) await carryOut(one, command.gasless);
      return;
    }
    case "sign":
      return sign(pick(command));
    case "relay":
      return relay(pick(command));
    case "void": {
      const one = pick(command);
      if (one === undefined) return;
      const kind = one.call.kind === "create" ? "void creation" : "void link change";
      // Of somebody else a creation has another id.
      const by = command.stranger && kind === "void link change" ? stranger : author;
      sendCall(by, { kind, author: by, subject: one.voidable });
      return;
    }
    case "lie": {
      const one = pick(command);
      if (one === undefined || isClosed(one, chain)) return;
      const [sender, calldata]: [Address, Hex] = command.stranger ? [stranger, one.calldata] : [author, "0x"];
      const sent = sendCall(sender, { kind: "other" }, calldata);
      if (sent !== undefined) await report(one, sent);
      return;
    }
    case "cancel": {
      const [first] = chain.poolOf(author);
      const nonce = first?.nonce ?? nextNonce(author);
      const call = { kind: "other" } as const;
      const fee = (first?.fee ?? 0) + 1;
      send(chain.sign({ sender: author, enoughGas: true, nonce, fee, call, calldata: "0x" }));
      return;
    }
    case "speed up": {
      const [first] = chain.poolOf(author);
      if (first !== undefined) send(chain.sign({ ...first, fee: first.fee + 1 }));
      return;
    }
    case "drop": {
      const [first] = sendersOf(who).flatMap(chain.poolOf);
      if (first === undefined) return;
      chain.pool.delete(first.hash);
      lost.push(first);
      return;
    }
    case "send again": {
      const again = lost.pop();
      if (again !== undefined) send(again);
      return;
    }
    case "refuse": {
      const one = pick(command);
      if (one === undefined) return;
      if (command.late) one.refusesLate = true;
      else await refuse(pool, chain, one);
      return;
    }
    case "expire": {
      const one = pick(command);
      if (one === undefined) return;
      await pool.query("update service.requests set expires_at = now() where id = $1", [one.id]);
      one.expired = true;
      return;
    }
  }
}

const isClosed = (one: Asked, chain: SimulatedChain) => isOver(expectedState(one, chain, confirmations));

/** Whether the service takes what an author does; some of it it refuses, as a link change signed both ways. */
async function isTaken(pool: Pool, change: (tx: Transaction) => Promise<void>): Promise<boolean> {
  try {
    await inTransaction(pool, change);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The author refuses a request, where that is not over. */
export async function refuse(pool: Pool, chain: SimulatedChain, one: Asked): Promise<void> {
  one.refusesLate = false;
  if (isClosed(one, chain)) return;
  if (await isTaken(pool, (tx) => refuseRequest(tx, one.id))) one.refused = true;
}

async function ask(pool: Pool, who: Person, assetOf: Hex, change: AskedChange): Promise<Asked> {
  const id = randomUUID();
  const calldata = calldataOf(assetOf, change);
  const { address: author } = who;
  const request = { id, tenant: "model", author, assetId: assetOf, registry, calldata, ttl: 3_600, change };
  await inTransaction(pool, (tx) => storeRequest(tx, request));
  const nonce = toHex(linkNonceOf(id), { size: 32 });
  const targets = change.kind === "create" ? [] : change.targets;
  const call: Change =
    change.kind === "create"
      ? { ...change, author, asset: assetOf, gasless: false }
      : {
          kind: change.kind,
          author,
          parent: assetOf,
          children: targets.map(({ child }) => child),
          nonce,
          gasless: false,
        };
  const asked: Asked = {
    id,
    author,
    call,
    calldata,
    voidable: change.kind === "create" ? assetOf : nonce,
    turns: new Map(targets.map(({ child, nth }) => [child, nth])),
    known: new Map(),
    reported: new Set(),
    signed: false,
    refused: false,
    refusesLate: false,
    expired: false,
    givenUp: undefined,
    seen: ["Received"],
    usedSince: undefined,
  };
  who.asked.push(asked);
  return asked;
}

async function create(pool: Pool, who: Person): Promise<Asked> {
  const salt = keccak256(toHex(`${who.address} ${who.asked.length}`));
  const details = sampleDetails;
  const asset = assetId(registry, { author: who.address, salt, details });
  return ask(pool, who, asset, { kind: "create", salt, details });
}

/** Links from one of the author's assets to others, where the chain allows the change. */
async function changeLinks(
  pool: Pool,
  chain: SimulatedChain,
  who: Person,
  { do: kind, which, both, rival }: Extract<Command, { do: "link" | "revoke" }>,
): Promise<Asked | undefined> {
  const { assets, standing } = chain.registry();
  const own = who.asked.flatMap(({ call }) =>
    call.kind === "create" && assets.has(call.asset) ? [call.asset] : [],
  );
  const parent = own[which];
  if (parent === undefined) return undefined;
  const waits = (child: Hex) =>
    who.asked.some(
      (one) =>
        one.call.kind === kind &&
        one.call.parent === parent &&
        one.turns.has(child) &&
        !isOver(expectedState(one, chain, confirmations)),
    );
  const children = own
    .filter((child) => child !== parent && standing.has(parent + child) === (kind === "revoke"))
    .filter((child) => rival || !waits(child))
    .slice(0, both ? 2 : 1);
  if (children.length === 0) return undefined;
  const made = (child: Hex) =>
    chain
      .about(parent)
      .filter(
        ({ sent: { call }, succeeded }) => succeeded && call.kind === "link" && call.children.includes(child),
      ).length;
  const targets = children.map((child) => ({ child, nth: made(child) + (kind === "link" ? 1 : 0) }));
  return ask(pool, who, parent, { kind, targets });
}
