import { Button } from "../../../parts/Button.tsx";
import { problemInWords } from "../../../service/problem-words.ts";
import { useApiKey } from "../../../service/use-api-key.ts";
import { texts } from "../../../texts/texts.ts";
import style from "./Change.module.css";
import { useLinkChange } from "./useLinkChange.ts";

const words = texts.asset.change;

/** Asks the author to revoke one link, where this tab holds an API key; leads to the page to sign on. */
export function RevokeButton({ parent, child }: { parent: string; child: string }) {
  const key = useApiKey();
  const change = useLinkChange(parent);
  if (key === undefined) return null;
  return (
    <>
      <Button
        kind="danger"
        isPending={change.isPending}
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
