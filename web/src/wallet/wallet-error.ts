/** Why a wallet did not do what it was asked to. */
export type WalletFailure =
  /** Its user refused, or closed the prompt. */
  | "REJECTED"
  /** It has a prompt open already. */
  | "PROMPT_OPEN"
  /** It does not give the account to this site any more. */
  | "NOT_CONNECTED"
  /** It has no such method. */
  | "UNSUPPORTED"
  /** It reaches no chain. */
  | "DISCONNECTED"
  /** It does not know the chain. */
  | "UNKNOWN_CHAIN"
  /** It is on another chain, and did not change it. */
  | "WRONG_CHAIN"
  /** Another account than the author's is selected. */
  | "WRONG_ACCOUNT"
  /** The account cannot pay. */
  | "NO_FUNDS"
  /** It answered what makes no sense. */
  | "BAD_ANSWER"
  /** It said something else. */
  | "OTHER";

/** A wallet did not do what it was asked to; `said` are its own words. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly failure: WalletFailure;
  readonly said: string | undefined;

  constructor(failure: WalletFailure, said?: string) {
    super(said ?? failure);
    this.failure = failure;
    this.said = said;
  }
}

const byCode = new Map<unknown, WalletFailure>([
  [4001, "REJECTED"],
  ["ACTION_REJECTED", "REJECTED"],
  [-32002, "PROMPT_OPEN"],
  [4100, "NOT_CONNECTED"],
  [4200, "UNSUPPORTED"],
  [-32601, "UNSUPPORTED"],
  [4900, "DISCONNECTED"],
  [4901, "DISCONNECTED"],
  [4902, "UNKNOWN_CHAIN"],
]);

/** Most characters of a wallet's words that are read. */
const longest = 2_000;

/** Words of wallets that answer by a code for everything, or by none. */
const byWords: [RegExp, WalletFailure][] = [
  [/insufficient (?:funds|balance)|exceeds (?:the )?balance/i, "NO_FUNDS"],
  [/unrecognized chain|unknown (?:chain|network)|chain.{0,40}not (?:been )?added/i, "UNKNOWN_CHAIN"],
  [/already pending/i, "PROMPT_OPEN"],
  [/user.{0,20}(?:reject|den|cancel|declin|disapprov)/i, "REJECTED"],
  [/(?:reject|deni|cancel|declin)\w{0,6} by (?:the )?user/i, "REJECTED"],
  [/(?:popup|pop-up|window).{0,20}closed/i, "REJECTED"],
  [/not (?:supported|implemented|available)|does not exist|unsupported/i, "UNSUPPORTED"],
];

type Thrown = { code?: unknown; message?: unknown; cause?: unknown; data?: { originalError?: unknown } };

/** An error of a wallet, whatever form it was thrown in: the innermost one that can be told decides. */
export function readWalletError(thrown: unknown): WalletError {
  if (thrown instanceof WalletError) return thrown;
  const layers: Thrown[] = [];
  for (let layer = asThrown(thrown); layer !== undefined && layers.length < 8; ) {
    layers.push(layer);
    layer = asThrown(layer.data?.originalError) ?? asThrown(layer.cause);
  }
  const words = layers
    .map(({ message }) => (typeof message === "string" ? message.slice(0, longest) : ""))
    .filter((message) => message !== "");
  const said = words.at(-1);
  for (const { code } of layers.toReversed()) {
    const failure = byCode.get(code);
    if (failure !== undefined) return new WalletError(failure, said);
  }
  const found = byWords.find(([pattern]) => words.some((message) => pattern.test(message)));
  return new WalletError(found?.[1] ?? "OTHER", said);
}

function asThrown(value: unknown): Thrown | undefined {
  if (typeof value === "string") return { message: value };
  return typeof value === "object" && value !== null ? value : undefined;
}
