import { FactList } from "../../parts/FactList.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { texts } from "../../texts/texts.ts";

const words = texts.sign.account;

/** Which account is asked for, and which one the wallet has selected instead. */
export function AccountNotice({ signer, selected }: { signer: string; selected: string }) {
  return (
    <div role="alert">
      <Notice tone="warn" title={words.wrongTitle}>
        <FactList
          facts={[
            { name: words.asked, value: <code>{signer}</code> },
            { name: words.selected, value: <code>{selected}</code> },
          ]}
        />
        <p>{words.next}</p>
      </Notice>
    </div>
  );
}
