import { Button } from "../../../parts/Button.tsx";
import { readableName } from "../../../parts/foreign-text.ts";
import { shortHex } from "../../../parts/HexValue.tsx";
import { problemInWords } from "../../../service/problem-words.ts";
import { useApiKey } from "../../../service/use-api-key.ts";
import { texts } from "../../../texts/texts.ts";
import style from "./Change.module.css";
import { useLinkChange } from "./useLinkChange.ts";

const words = texts.asset.change;

type RevokeButtonProps = {
  parent: string;
  child: string;
  /** The child's name, where it is known. */
  name: string | undefined;
};

/** Asks the author to revoke one link, where this tab holds an API key; leads to the page to sign on. */
export function RevokeButton({ parent, child, name }: RevokeButtonProps) {
  const key = useApiKey();
  const change = useLinkChange(parent);
  if (key === undefined) return null;
  return (
    <>
      <Button
        kind="danger"
        aria-label={words.revokeThis(name === undefined ? shortHex(child) : readableName(name))}
        isBusy={change.isPending}
        onPress={() => change.mutate({ kind: "revoke", targets: [child] })}
      >
        {words.revoke}
      </Button>
      {change.isError && (
        <span role="alert" className={style.problem}>
          {problemInWords(change.error)}
        </span>
      )}
    </>
  );
}
