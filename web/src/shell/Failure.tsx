import { ConnectionError, RegistryError } from "asset-registry-client";
import { useRouteError } from "react-router";
import { Button } from "../parts/Button.tsx";
import { readableWords } from "../parts/foreign-text.ts";
import { texts } from "../texts/texts.ts";
import { isNotLoaded } from "./not-loaded.ts";
import { Page } from "./Page.tsx";

const { failure } = texts.shell;

function inWords(error: unknown): string {
  if (error instanceof RegistryError) return failure.refused(readableWords(error.message));
  return error instanceof ConnectionError || isNotLoaded(error) ? failure.offline : failure.unexpected;
}

/** Shown in the place of a page that failed. */
export function Failure() {
  const error = useRouteError();
  return (
    <Page title={failure.title}>
      <p role="alert">{inWords(error)}</p>
      <p>
        <Button onPress={() => location.reload()}>{failure.again}</Button>
      </p>
    </Page>
  );
}
