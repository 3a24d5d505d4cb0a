import type { Transaction } from "asset-registry-client";
import { useState } from "react";
import { Doing } from "../../parts/Doing.tsx";
import { type Fact, FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { Time } from "../../parts/Time.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import { isSameAddress } from "../../wallet/ask.ts";
import { WalletButtons } from "../../wallet/WalletButtons.tsx";
import { AccountNotice } from "./AccountNotice.tsx";
import style from "./AnswerPanel.module.css";
import { PhonePanel } from "./PhonePanel.tsx";
import { ProblemNotice } from "./ProblemNotice.tsx";
import type { checkRequest } from "./rules/check-request.ts";
import { costOf, formatAmount } from "./rules/cost.ts";
import type { Outlook } from "./rules/outlook.ts";
import type { Way } from "./rules/sign-request.ts";
import { otherAccountOf, type useSigning } from "./use-signing.ts";
import { WayChoice } from "./WayChoice.tsx";

const words = texts.sign.act;

/** Steps in which the author has to look at the wallet. */
const asksWallet: ReadonlySet<string> = new Set(["connect", "network", "ask"]);

type AnswerPanelProps = {
  asked: Transaction;
  found: ReturnType<typeof checkRequest>;
  outlook: Outlook;
  signing: ReturnType<typeof useSigning>;
};

/** How the request stands, and what the author can answer by which wallet. */
export function AnswerPanel({ asked, found, outlook, signing }: AnswerPanelProps) {
  const { chain } = useSettings();
  const [chosen, choose] = useState<Exclude<Way, "refuse">>();
  const { wallet, doing, problem, sign } = signing;
  const buttons = { wallet, isBusy: doing !== undefined };
  const canAnswer = outlook.canSign && found !== undefined && "checked" in found;
  const way = asked.gasless === null ? "send" : (chosen ?? "gasless");
  const { connected } = wallet;
  const isAuthor = connected?.accounts.some((account) => isSameAddress(account, asked.signer));
  // The wallet's own answer, where it says it only when it is asked.
  const otherAccount = isAuthor === false ? connected?.accounts[0] : otherAccountOf(problem);

  return (
    <Panel title={words.title}>
      <div role="status">
        {doing === undefined ? (
          <Notice tone={outlook.tone} title={outlook.title}>
            {outlook.next}
          </Notice>
        ) : (
          <Doing title={words.steps[doing.step]}>
            {asksWallet.has(doing.step) && <p>{words.lookThere}</p>}
          </Doing>
        )}
      </div>
      {problem !== undefined && doing === undefined && otherAccountOf(problem) === undefined && (
        <ProblemNotice problem={problem} />
      )}
      {canAnswer && (
        <>
          <FactList facts={factsOf(asked, way, chain.nativeCurrency)} />
          {asked.gasless !== null && (
            <WayChoice way={way} cost={costInWords(asked, chain.nativeCurrency)?.usual} onChange={choose} />
          )}
          {asked.warning !== null && (way === "send" || asked.gas === null) && (
            <Notice tone="warn">
              <ForeignText text={asked.warning} />
            </Notice>
          )}
          {otherAccount !== undefined && <AccountNotice signer={asked.signer} selected={otherAccount} />}
          <WalletButtons
            {...buttons}
            verb={words.signWith}
            onChoose={(id) => sign(way, id)}
            account={words.connectedAccount}
          />
          {wallet.choices.length > 0 && (
            <details className={style.more}>
              <summary>{words.refuse}</summary>
              <p>{words.refuseWhy}</p>
              <WalletButtons
                {...buttons}
                verb={words.refuseWith}
                kind="danger"
                onChoose={(id) => sign("refuse", id)}
              />
            </details>
          )}
          <PhonePanel url={asked.signUrl} hasWallet={wallet.choices.length > 0} />
        </>
      )}
    </Panel>
  );
}

type Currency = { symbol: string; decimals: number };

function factsOf(asked: Transaction, way: Way, currency: Currency): Fact[] {
  const cost = costInWords(asked, currency);
  const paid = cost === undefined ? words.unknownCost : words.usualCost(cost.usual, cost.most);
  return [
    { name: words.until, value: <Time at={asked.expiresAt} /> },
    { name: words.cost, value: way === "send" ? paid : words.free },
  ];
}

function costInWords(asked: Transaction, { symbol, decimals }: Currency) {
  const cost = costOf(asked);
  const tell = (amount: bigint) => `${formatAmount(amount, decimals)} ${symbol}`;
  return cost && { usual: tell(cost.usual), most: tell(cost.most) };
}
