import { randomUUID } from "node:crypto";
import type { BrowserContext } from "playwright-core";
import type { Hash, Hex, LocalAccount } from "viem";
import { owner } from "../chain/accounts.ts";
import type { Anvil } from "../chain/anvil.ts";
import { eventually } from "../eventually.ts";
import { type AnnouncedWallet, announceWallets, type WalletAnswer } from "./announce-wallets.ts";
import { signTransaction, type TransactionChanges, type WalletTransaction } from "./wallet-transaction.ts";

export type WalletOptions = {
  name?: string;
  /** The first one is selected. */
  accounts?: LocalAccount[];
  /** The chain that it is on; otherwise the registry's. */
  chainId?: number;
  /** Chains that it knows; otherwise Ethereum's, the registry's and its own. */
  knownChains?: number[];
  /** It has given the site its account before. */
  connected?: boolean;
  legacy?: boolean;
};

type Settled = { approve(): void; reject(error?: WalletError): void };
/** A window of the wallet that waits for its user. */
export type Prompt = Settled & { method: string; params: unknown[] };

export type Wallet = ReturnType<typeof createWallet>;

export class WalletError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const hex = (value: number): Hex => `0x${value.toString(16)}`;
/** Not served by any node here: a wallet on it answers no reads. */
export const ETHEREUM = 1;
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' fill='%23d60'/%3E%3C/svg%3E";

/**
 * A browser wallet with the keys of test accounts, which behaves as badly as it is told to. Its user approves every
 * prompt unless `decide` says otherwise.
 */
export function createWallet(anvil: Anvil, registryChain: number, options: WalletOptions = {}) {
  const { name = "Fox", accounts = [owner], chainId = registryChain } = options;
  const state = {
    accounts,
    chainId,
    knownChains: new Set([...(options.knownChains ?? [ETHEREUM, registryChain]), chainId]),
    connected: options.connected ?? false,
    /** What its user does with a prompt; `hold` leaves it open until the test settles it. */
    decide: "approve" as "approve" | "reject" | "hold",
    /** Methods that it does not have. */
    lacks: new Set<string>(),
    /** It fails to answer these methods by throwing. */
    failing: new Map<string, WalletError>(),
    /** What it makes of a transaction that it is asked to send. */
    changes: {} as TransactionChanges,
    /** It signs typed data with this key, whichever account is selected. */
    signer: undefined as LocalAccount | undefined,
    /** It sends nothing, though it answers a hash. */
    withholds: false,
  };
  const calls: { method: string; params: unknown[] }[] = [];
  const prompts = new Set<Prompt>();
  const sent: WalletTransaction[] = [];
  const contexts = new Set<BrowserContext>();
  const uuid = randomUUID();
  const announced: AnnouncedWallet = {
    info: { uuid, name, icon, rdns: `test.${name.toLowerCase().replaceAll(/[^a-z]/g, "")}` },
    binding: `wallet_${uuid.replaceAll("-", "")}`,
    legacy: options.legacy ?? false,
  };
  const selected = (): LocalAccount => {
    const [account] = state.accounts;
    if (account === undefined) throw new WalletError(4100, "The wallet has no account.");
    return account;
  };

  async function prompt(method: string, params: unknown[]): Promise<void> {
    const isOpen = [...prompts].some((open) => open.method === method);
    if (isOpen && !method.startsWith("eth_s")) {
      throw new WalletError(-32002, `Request of type '${method}' already pending. Please wait.`);
    }
    if (state.decide === "approve") return;
    await new Promise<void>((approve, reject) => {
      const refuse = (error = new WalletError(4001, "User rejected the request.")) => reject(error);
      if (state.decide === "reject") return refuse();
      const open: Prompt = {
        method,
        params,
        approve: () => void (prompts.delete(open) && approve()),
        reject: (error) => void (prompts.delete(open) && refuse(error)),
      };
      prompts.add(open);
    });
  }

  async function switchTo(chain: number): Promise<null> {
    state.chainId = chain;
    await emit("chainChanged", hex(chain));
    return null;
  }

  /** Sends a transaction of the selected account. */
  async function send(asked: WalletTransaction, changes: TransactionChanges = {}): Promise<Hash> {
    const transaction = { ...asked, ...changes };
    const raw = await signTransaction(anvil, selected(), registryChain, transaction);
    sent.push(raw.transaction);
    if (!state.withholds) await anvil.rpc("eth_sendRawTransaction", [raw.raw]);
    return raw.hash;
  }

  const methods: Record<string, (params: unknown[]) => Promise<unknown>> = {
    eth_chainId: async () => hex(state.chainId),
    net_version: async () => String(state.chainId),
    eth_accounts: async () => (state.connected ? [selected().address.toLowerCase()] : []),
    async eth_requestAccounts(params) {
      if (!state.connected) await prompt("eth_requestAccounts", params);
      state.connected = true;
      return [selected().address.toLowerCase()];
    },
    async wallet_requestPermissions(params) {
      await prompt("wallet_requestPermissions", params);
      state.connected = true;
      const caveats = [{ type: "restrictReturnedAccounts", value: [selected().address.toLowerCase()] }];
      return [{ parentCapability: "eth_accounts", caveats }];
    },
    async wallet_revokePermissions() {
      state.connected = false;
      return null;
    },
    async wallet_switchEthereumChain(params) {
      const [asked] = params as [{ chainId: Hex }];
      const chain = Number(asked.chainId);
      if (chain === state.chainId) return null;
      if (!state.knownChains.has(chain)) {
        throw new WalletError(4902, `Unrecognized chain ID "${asked.chainId}".`);
      }
      await prompt("wallet_switchEthereumChain", params);
      return await switchTo(chain);
    },
    async wallet_addEthereumChain(params) {
      const [asked] = params as [{ chainId: Hex; chainName: string; rpcUrls: string[] }];
      if (asked.rpcUrls.length === 0) throw new WalletError(-32602, "Expected an array with a valid URL.");
      await prompt("wallet_addEthereumChain", params);
      state.knownChains.add(Number(asked.chainId));
      return await switchTo(Number(asked.chainId));
    },
    async eth_sendTransaction(params) {
      const [asked] = params as [WalletTransaction];
      requireAccount(asked.from);
      if (asked.chainId !== undefined && Number(asked.chainId) !== state.chainId) {
        throw new WalletError(
          -32602,
          `Expected chainId ${asked.chainId}, the wallet is on ${state.chainId}.`,
        );
      }
      await prompt("eth_sendTransaction", params);
      if (state.chainId !== registryChain) throw new WalletError(-32603, "No node of this chain answers.");
      return await send(asked, state.changes);
    },
    async eth_signTypedData_v4(params) {
      const [address, text] = params as [Hex, string];
      requireAccount(address);
      const typedData = JSON.parse(text) as Parameters<LocalAccount["signTypedData"]>[0];
      const { chainId: of } = typedData.domain as { chainId?: number };
      if (Number(of) !== state.chainId) {
        throw new WalletError(
          -32603,
          `Provided chainId "${of}" must match the active chainId "${state.chainId}"`,
        );
      }
      await prompt("eth_signTypedData_v4", params);
      return await (state.signer ?? selected()).signTypedData(typedData);
    },
  };

  function requireAccount(address: Hex): void {
    const isKnown = state.connected && address.toLowerCase() === selected().address.toLowerCase();
    if (!isKnown) throw new WalletError(4100, "The requested account has not been authorized by the user.");
  }

  async function request(method: string, params: unknown[]): Promise<WalletAnswer> {
    calls.push({ method, params });
    try {
      const failure = state.failing.get(method);
      if (failure !== undefined) throw failure;
      if (state.lacks.has(method)) throw new WalletError(-32601, `The method "${method}" does not exist.`);
      const own = methods[method];
      if (own !== undefined) return { result: await own(params) };
      if (!method.startsWith("eth_") || state.chainId !== registryChain) {
        throw new WalletError(-32601, `The method "${method}" is not available.`);
      }
      return { result: await anvil.rpc(method, params) };
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown };
      return { error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  /** Tells every page that has the wallet, as extensions do, even those that it is not connected to. */
  async function emit(event: string, value: unknown): Promise<void> {
    const pages = [...contexts].flatMap((context) => context.pages());
    const args = { uuid, event, value };
    await Promise.all(
      pages.map((page) =>
        page
          .evaluate((told: typeof args) => {
            type Emitting = { emitOfWallet?: (...told: unknown[]) => void };
            (globalThis as unknown as Emitting).emitOfWallet?.(told.uuid, told.event, told.value);
          }, args)
          // A page that is being loaded asks by itself.
          .catch(() => undefined),
      ),
    );
  }

  return {
    name,
    state,
    announced,
    /** Requests that pages made, in their order. */
    calls,
    /** Transactions as it signed them. */
    sent,
    /** How often it was asked to send or sign. */
    asked: (method: "eth_sendTransaction" | "eth_signTypedData_v4" = "eth_sendTransaction") =>
      calls.filter((call) => call.method === method).length,
    /** Puts it into every page of a context, those that are opened later included. */
    async install(context: BrowserContext): Promise<void> {
      contexts.add(context);
      await context.exposeBinding(announced.binding, (_source, method: string, params: unknown[]) =>
        request(method, params),
      );
      context.on("close", () => contexts.delete(context));
    },
    /** The prompt of a method that is open, or will be. */
    async prompt(method: string): Promise<Prompt> {
      const find = async () => [...prompts].find((open) => open.method === method);
      return (await eventually(`a prompt of ${method}`, find, (open) => open !== undefined)) as Prompt;
    },
    /** The number of prompts that wait for the user. */
    openPrompts: () => prompts.size,
    /** Its user selects another account. */
    async selectAccount(account: LocalAccount): Promise<void> {
      state.accounts = [account, ...state.accounts.filter(({ address }) => address !== account.address)];
      if (state.connected) await emit("accountsChanged", [account.address.toLowerCase()]);
    },
    /** Its user selects another chain. */
    async selectChain(chain: number): Promise<void> {
      state.knownChains.add(chain);
      await switchTo(chain);
    },
    /** Its user takes the site's permission away. */
    async disconnect(): Promise<void> {
      state.connected = false;
      await emit("accountsChanged", []);
      await emit("disconnect", { code: 4900, message: "The wallet is disconnected." });
    },
    /** Its user sends what was sent last once more with a higher fee, or cancels it. */
    async replace(changes: TransactionChanges = {}): Promise<Hash> {
      const last = sent.at(-1);
      if (last === undefined) throw new Error(`The wallet ${name} has sent nothing`);
      const more = (fee: Hex | undefined): Hex => `0x${(BigInt(fee ?? "0x0") * 2n).toString(16)}`;
      const { maxFeePerGas, maxPriorityFeePerGas } = last;
      const fees = { maxFeePerGas: more(maxFeePerGas), maxPriorityFeePerGas: more(maxPriorityFeePerGas) };
      return await send({ ...last, ...fees }, changes);
    },
  };
}

/** Puts wallets into the pages of a context. */
export async function installWallets(context: BrowserContext, wallets: readonly Wallet[]): Promise<void> {
  for (const wallet of wallets) await wallet.install(context);
  await context.addInitScript(
    announceWallets,
    wallets.map(({ announced }) => announced),
  );
}
