import type { Providers } from "../client/providers.ts";
import type { Rpc } from "../client/rpc.ts";
import type { FailureReason } from "../errors/node-error.ts";
import type { Question } from "./question.ts";

/** How typed calls reach the providers. */
export type Caller = {
  providers: Providers;
  ask<Output>(question: Question<Output>): Promise<Output>;
  /** Asks several questions in groups, each of which one provider answers; the answers in their order. */
  inGroups<Asked, Answer>(
    asked: readonly Asked[],
    ask: (rpc: Rpc, group: readonly Asked[]) => Promise<Answer[]>,
  ): Promise<Answer[]>;
  /** Counts a failure that no caller hears of. */
  note(reason: FailureReason): void;
};

/** Questions that one provider answers together; how many of them travel at once, it decides. */
const askedTogether = 100;

export function createCaller(providers: Providers, note: (reason: FailureReason) => void): Caller {
  return {
    providers,
    note,
    ask: (question) => providers.run(async (rpc) => question.read(await rpc.request(question))),
    async inGroups<Asked, Answer>(
      asked: readonly Asked[],
      ask: (rpc: Rpc, group: readonly Asked[]) => Promise<Answer[]>,
    ): Promise<Answer[]> {
      const groups: Promise<Answer[]>[] = [];
      for (let start = 0; start < asked.length; start += askedTogether) {
        const group = asked.slice(start, start + askedTogether);
        groups.push(providers.run((rpc) => ask(rpc, group)));
      }
      return (await Promise.all(groups)).flat();
    },
  };
}

export async function readAll<Output>(rpc: Rpc, questions: readonly Question<Output>[]): Promise<Output[]> {
  const answers = await rpc.batch(questions);
  return questions.map(({ read }, index) => read(answers[index]));
}
