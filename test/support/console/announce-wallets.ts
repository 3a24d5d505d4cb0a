/** A wallet as a page sees it; `binding` names the function by which its requests reach the test. */
export type AnnouncedWallet = {
  info: { uuid: string; name: string; icon: string; rdns: string };
  binding: string;
  /** Shows itself as `window.ethereum` alone, as wallets did before EIP-6963. */
  legacy: boolean;
};

export type WalletAnswer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

type Listener = (value: unknown) => void;
type Window = {
  [binding: string]: (method: string, params: unknown) => Promise<WalletAnswer>;
} & {
  ethereum?: unknown;
  /** Tells the page of an event of a wallet. */
  emitOfWallet(uuid: string, event: string, value: unknown): void;
  addEventListener(name: string, listener: () => void): void;
  dispatchEvent(event: CustomEvent): void;
};

/** Runs in a page before its own code, and so refers to nothing outside itself: puts wallets in as extensions do. */
export function announceWallets(wallets: readonly AnnouncedWallet[]): void {
  const window = globalThis as unknown as Window;
  const emitters = new Map<string, (event: string, value: unknown) => void>();
  for (const { info, binding, legacy } of wallets) {
    const listeners = new Map<string, Set<Listener>>();
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const answer = await window[binding]?.(method, params ?? []);
        if (answer === undefined) throw new Error(`There is no wallet ${info.name}`);
        if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
        return answer.result;
      },
      on(event: string, listener: Listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
        return provider;
      },
      removeListener(event: string, listener: Listener) {
        listeners.get(event)?.delete(listener);
        return provider;
      },
    };
    emitters.set(info.uuid, (event, value) => {
      for (const listener of [...(listeners.get(event) ?? [])]) listener(value);
    });
    if (legacy) {
      window.ethereum = provider;
      continue;
    }
    const announce = () => {
      const detail = Object.freeze({ info: Object.freeze(info), provider });
      window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    };
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }
  window.emitOfWallet = (uuid, event, value) => emitters.get(uuid)?.(event, value);
}
