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

/** A go that was not waited for any more has another one after it. */
class Superseded extends Error {}

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
  /** The go that is waited for. */
  const running = useRef<symbol>(undefined);
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

  /** One go at an answer; a late one, which is not waited for any more, gives way to whichever runs now. */
  async function answerBy(way: Way, walletId: string, attempt: symbol): Promise<void> {
    if (signer === undefined) return;
    let isAsked = false;
    const givesWay = () => running.current !== undefined && running.current !== attempt;
    try {
      const { answer, isOtherCall } = await signRequest(way, {
        signer,
        chain,
        registry: { chainId: chain.id, address },
        connect: () => wallet.connect(walletId, signer),
        read: request.read,
        onStep(step) {
          if (givesWay()) throw new Superseded();
          running.current = attempt;
          setProblem(undefined);
          setDoing({ way, wallet: walletId, step });
          isAsked = step === "ask";
          if (isAsked) remember({ at: Date.now(), asked: way });
        },
      });
      // What was signed counts, however late.
      void handIn(answer);
      if (!givesWay()) setProblem(isOtherCall ? "OTHER_CALL" : undefined);
    } catch (thrown) {
      if (thrown instanceof Superseded || givesWay()) return;
      if (isAsked) remember(undefined);
      setProblem({ thrown });
      await request.follow();
    } finally {
      if (!givesWay()) stopWaiting();
    }
  }

  function stopWaiting() {
    running.current = undefined;
    setDoing(undefined);
  }

  /** Asks a wallet for the author's answer; does nothing while one is being asked. */
  async function sign(way: Way, walletId: string): Promise<void> {
    // State comes too late for the second of two clicks.
    if (running.current !== undefined) return;
    const attempt = Symbol(way);
    running.current = attempt;
    setProblem(undefined);
    const held = await oneAtATime(`sign:${id}`, async () => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const isSlow = new Promise<"slow">((resolve) => {
        timer = setTimeout(() => resolve("slow"), PATIENCE);
      });
      const ended = await Promise.race([answerBy(way, walletId, attempt), isSlow]);
      clearTimeout(timer);
      if (ended !== "slow" || running.current !== attempt) return;
      stopWaiting();
      setProblem("SLOW");
    });
    if (held !== undefined) return;
    stopWaiting();
    setProblem("ELSEWHERE");
  }

  return { wallet, note, doing, problem, sign };
}
