import { useEffect, useRef, useState } from "react";
import { registry as service } from "../../service/client.ts";
import { useSettings } from "../../service/settings.ts";
import { oneAtATime } from "../../wallet/one-at-a-time.ts";
import { useWallet } from "../../wallet/use-wallet.ts";
import { WalletError } from "../../wallet/wallet-error.ts";
import { deliver } from "./rules/deliver.ts";
import { keepNote, type Note, readNote } from "./rules/note.ts";
import { type Answer, type Step, signRequest, type Way } from "./rules/sign-request.ts";
import type { useRequest } from "./use-request.ts";

/** Milliseconds after which a wallet that does not answer is not waited for any more; a late answer still counts. */
const PATIENCE = 45_000;

/** What is being done by which wallet. */
export type Doing = { way: Way; wallet: string; step: Step };

/** What stands in the way, for the author to see. */
export type Problem = "SLOW" | "ELSEWHERE" | "OTHER_CALL" | { thrown: unknown };

/** The account that a wallet had selected in place of the author's. */
export function otherAccountOf(problem: Problem | undefined): string | undefined {
  const thrown = typeof problem === "object" ? problem.thrown : undefined;
  return thrown instanceof WalletError && thrown.failure === "WRONG_ACCOUNT"
    ? (thrown.said ?? "")
    : undefined;
}

/** Leads the author's wallet to an answer, one question at a time, and hands the answer in. */
export function useSigning(
  id: string,
  signer: `0x${string}` | undefined,
  request: ReturnType<typeof useRequest>,
) {
  const { chain, registry: address } = useSettings();
  const wallet = useWallet();
  const [note, setNote] = useState<Note | undefined>(() => readNote(id));
  const [doing, setDoing] = useState<Doing>();
  const [problem, setProblem] = useState<Problem>();
  const isBusy = useRef(false);
  const left = useRef(new AbortController());

  const remember = (next: Note | undefined) => {
    keepNote(id, next);
    setNote(next);
  };

  async function handIn(answer: Answer): Promise<void> {
    const at = Date.now();
    remember({ at, answer });
    try {
      await deliver(service, id, answer, left.current.signal);
      remember({ at, answer, isDelivered: true });
    } catch (thrown) {
      if (left.current.signal.aborted) return;
      // A hash that was refused is on the chain all the same, and a signature is not.
      remember(undefined);
      setProblem({ thrown });
    }
    await request.follow();
  }

  // What was answered before the page was loaded anew and not handed in. Once a page: a delivery outlives a render.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page begins, and ends with it
  useEffect(() => {
    left.current = new AbortController();
    const before = readNote(id);
    if (before?.answer !== undefined && before.isDelivered !== true) void handIn(before.answer);
    return () => left.current.abort();
  }, [id]);

  const [selected] = wallet.connected?.accounts ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of the account before holds no more
  useEffect(() => {
    setProblem((before) => (otherAccountOf(before) === undefined ? before : undefined));
  }, [selected]);

  async function answerBy(way: Way, walletId: string, onStep: (step: Step) => void): Promise<void> {
    if (signer === undefined) return;
    let isAsked = false;
    try {
      const { answer, isOtherCall } = await signRequest(way, {
        signer,
        chain,
        registry: { chainId: chain.id, address },
        connect: () => wallet.connect(walletId),
        read: request.read,
        onStep(step) {
          onStep(step);
          isAsked = step === "ask";
          if (isAsked) remember({ at: Date.now(), asked: way });
        },
      });
      setProblem(isOtherCall ? "OTHER_CALL" : undefined);
      onStep("deliver");
      await handIn(answer);
    } catch (thrown) {
      if (isAsked) remember(undefined);
      setProblem({ thrown });
      await request.follow();
    }
  }

  /** Asks a wallet for the author's answer; does nothing while one is being asked. */
  async function sign(way: Way, walletId: string): Promise<void> {
    // State comes too late for the second of two clicks.
    if (isBusy.current) return;
    isBusy.current = true;
    setProblem(undefined);
    const held = await oneAtATime(`sign:${id}`, async () => {
      const patience = new AbortController();
      const isSlow = new Promise<"slow">((resolve) => {
        const timer = setTimeout(() => resolve("slow"), PATIENCE);
        patience.signal.addEventListener("abort", () => clearTimeout(timer));
      });
      const answering = answerBy(way, walletId, (step) => setDoing({ way, wallet: walletId, step }));
      const ended = await Promise.race([answering, isSlow]);
      patience.abort();
      if (ended === "slow") setProblem("SLOW");
    });
    if (held === undefined) setProblem("ELSEWHERE");
    setDoing(undefined);
    isBusy.current = false;
  }

  return { wallet, note, doing, problem, sign };
}
