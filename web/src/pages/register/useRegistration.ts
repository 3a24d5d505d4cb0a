import { type Asset, ConnectionError, RegistryError } from "asset-registry-client";
import { useRef, useState } from "react";
import { problemInWords } from "../../service/problem-words.ts";
import { useKeyedRegistry } from "../../service/use-api-key.ts";
import { texts } from "../../texts/texts.ts";
import {
  bodyOf,
  type FieldName,
  type Fields,
  fieldNames,
  keyKeeper,
  type Limits,
  type Problems,
  problemsOf,
  refusedFields,
} from "./form.ts";

const words = texts.register;

/** Sends a registration once however often it is tried, and tells what is wrong with it at the fields. */
export function useRegistration(limits: Limits, onRegistered: (asset: Asset) => void) {
  const registry = useKeyedRegistry();
  const [problems, setProblems] = useState<Problems>({});
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  /** Counts the tries that ended with marked fields. */
  const [failures, setFailures] = useState(0);
  const keyOf = useRef(keyKeeper(() => crypto.getRandomValues(new Uint32Array(4)).join("-")));

  const tell = (found: Problems, refused?: string) => {
    const marked = fieldNames.filter((name) => found[name] !== undefined);
    const names = marked.map((name) => words.fields[name]).join(", ");
    setProblems(found);
    if (marked.length > 0) setFailures((count) => count + 1);
    setRefusal(marked.length > 0 ? words.problems.fields(names) : refused);
  };

  /** Does nothing while a request is under way: the button that is pressed keeps the focus. */
  async function register(fields: Fields): Promise<void> {
    if (isBusy) return;
    const found = problemsOf(fields, limits);
    if (Object.keys(found).length > 0) return tell(found);
    if (registry === undefined) return tell({}, words.key.needed);
    tell({});
    setBusy(true);
    try {
      const body = bodyOf(fields);
      onRegistered(await registry.createAsset(body, { idempotencyKey: keyOf.current(body) }));
    } catch (error) {
      tell(error instanceof RegistryError ? refusedFields(error) : {}, refusalInWords(error));
    } finally {
      setBusy(false);
    }
  }

  /** Takes back what was said of a field that is being corrected. */
  const forget = (name: FieldName) => setProblems(({ [name]: _gone, ...others }) => others);

  return { register, forget, problems, refusal, failures, isBusy };
}

function refusalInWords(error: unknown): string {
  if (error instanceof ConnectionError) return words.problems.unsure;
  if (error instanceof RegistryError && error.code.startsWith("API_KEY_")) return words.problems.key;
  return problemInWords(error);
}
