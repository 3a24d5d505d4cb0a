import { ConnectionError, RegistryError } from "asset-registry-client";
import { useRouteError } from "react-router";
import { Button } from "../parts/Button.tsx";
import { readableWords } from "../parts/foreign-text.ts";
import { texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

const { failure } = texts.shell;

function inWords(error: unknown): string {
  if (error instanceof RegistryError) return failure.refused(readableWords(error.message));
  // A browser reports code that it could not load as a TypeError.
  if (error instanceof ConnectionError || error instanceof TypeError) return failure.offline;
  return failure.unexpected;
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
