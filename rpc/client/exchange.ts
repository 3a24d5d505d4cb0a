import { hideSecretsOf } from "../../domain/url/secrets.ts";
import { NodeError } from "../errors/node-error.ts";
import { largestAnswer } from "../transport/answer-size.ts";
import { createHttpClient, type HttpOptions } from "../transport/http.ts";
import { errorOf, idOf, parseAnswer, parseRejection, rejectionOf, unpack } from "./envelope.ts";
import type { Call, Outcome } from "./rpc.ts";

export type Exchange = ReturnType<typeof createExchange>;

/**
 * Exchanges calls and answers with one URL, each time at once and once.
 * @param mostBytes of an answer; undefined: by what is asked
 */
export function createExchange(url: string, options: HttpOptions, mostBytes: number | undefined) {
  const http = createHttpClient(url, options);
  const hide = hideSecretsOf(url);
  let id = 0;

  const pack = ({ method, params }: Call) => {
    id += 1;
    return { jsonrpc: "2.0", id, method, params };
  };

  function read(text: string, failure: NodeError | undefined): unknown {
    if (failure === undefined) return parseAnswer(text, hide);
    const rejection = failure.reason === "rate_limited" ? undefined : parseRejection(text);
    if (rejection === undefined) throw failure;
    return rejection;
  }

  async function exchange(packed: Call | readonly Call[]): Promise<unknown> {
    const calls = [packed].flat();
    const largest = mostBytes ?? largestAnswer(calls);
    return http.post(JSON.stringify(packed), read, largest).catch((error: unknown) => {
      throw sayingWhich(error, calls);
    });
  }

  return {
    async one(call: Call): Promise<unknown> {
      const packed = pack(call);
      return unpack(call.method, packed.id, await exchange(packed), hide);
    },
    /** @throws NodeError where a call has no answer of its own, or one is rate limited */
    async batch(calls: readonly Call[]): Promise<Outcome[]> {
      const packed = calls.map(pack);
      const answers = await exchange(packed);
      if (!Array.isArray(answers)) throw rejectionOf(answers, hide);
      const byId = new Map((answers as unknown[]).map((answer) => [idOf(answer), answer]));
      if (answers.length !== calls.length || packed.some((one) => !byId.has(one.id))) {
        const [only] = answers as unknown[];
        // An error of the whole batch, in a list.
        if (answers.length === 1 && calls.length > 1 && errorOf(only) !== undefined)
          throw rejectionOf(only, hide);
        throw new NodeError("bad_envelope", `The node answered ${answers.length} of ${calls.length} calls`);
      }
      const outcomes = packed.map((one) =>
        outcomeOf(() => unpack(one.method, one.id, byId.get(one.id), hide)),
      );
      const limited = outcomes.find((one) => "error" in one && one.error.reason === "rate_limited");
      if (limited !== undefined && "error" in limited) throw limited.error;
      return outcomes;
    },
    close: http.close,
  };
}

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { result: read() };
  } catch (error) {
    if (error instanceof NodeError) return { error };
    throw error;
  }
}

function sayingWhich(error: unknown, calls: readonly Call[]): unknown {
  if (!(error instanceof NodeError)) return error;
  const methods = [...new Set(calls.map(({ method }) => method))];
  const said = new NodeError(
    error.reason,
    `${error.message} (asked for ${methods.join(", ")})`,
    error.retryAfterMs,
  );
  said.away = error.away;
  return said;
}
