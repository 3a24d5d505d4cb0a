import type { Ask } from "../../../web/src/wallet/provider.ts";

type Answers = Record<string, (params: readonly unknown[]) => unknown>;

/** A wallet that answers what a test says, and notes what it was asked. */
export function fakeWallet(answers: Answers) {
  /** Methods, in their order. */
  const asked: string[] = [];
  /** Parameters of the last call of each method. */
  const given = new Map<string, readonly unknown[]>();
  const ask: Ask = async (method, params = []) => {
    asked.push(method);
    given.set(method, params);
    const answer = answers[method];
    if (answer === undefined) throw Object.assign(new Error("no such method"), { code: -32601 });
    return await answer(params);
  };
  return { ask, asked, given };
}

/** An error as wallets throw it. */
export const coded = (code: unknown, message = "", more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more });
