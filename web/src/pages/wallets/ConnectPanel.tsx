import type { Wallet } from "asset-registry-client";
import { useState } from "react";
import type { User } from "../../identity/ForUser.tsx";
import { Doing } from "../../parts/Doing.tsx";
import { type Fact, FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { TextInput } from "../../parts/form/TextFields.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import { WalletButtons } from "../../wallet/WalletButtons.tsx";
import style from "./ConnectPanel.module.css";
import { ConnectProblemNotice } from "./ConnectProblemNotice.tsx";
import { isTooLong, labelsOf } from "./rules/labels.ts";
import { useConnecting } from "./use-connecting.ts";

const words = texts.wallets.connect;

type ConnectPanelProps = { user: User; mine: readonly Wallet[]; onConnected(): void };

/** Connects the account of a wallet of this browser: says what is signed, and asks the wallet. */
export function ConnectPanel({ user, mine, onConnected }: ConnectPanelProps) {
  const { limits, chain, publicUrl } = useSettings();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const connecting = useConnecting(user, mine, () => {
    setName("");
    setDescription("");
    onConnected();
  });
  const { wallet, doing, problem, connected, connect } = connecting;
  const tooLong = (text: string) => (isTooLong(text, limits.note) ? words.tooLong(limits.note) : undefined);
  const canConnect = tooLong(name) === undefined && tooLong(description) === undefined;
  const facts: Fact[] = [
    { name: words.facts.service, value: publicUrl },
    { name: words.facts.user, value: <ForeignText text={user.session.name} most={200} /> },
    { name: words.facts.chain, value: words.chainOf(chain.name, chain.id) },
  ];
  return (
    <Panel title={words.title}>
      {wallet.choices.length === 0 && !wallet.isLooking ? (
        <Notice title={words.noWallet}>{words.noWalletHint}</Notice>
      ) : (
        <>
          <TextInput
            label={words.name}
            hint={words.nameHint}
            problem={tooLong(name)}
            value={name}
            onChange={setName}
            autoComplete="off"
          />
          <TextInput
            label={words.description}
            problem={tooLong(description)}
            value={description}
            onChange={setDescription}
            autoComplete="off"
          />
          <div className={style.signed}>
            <p>{words.what}</p>
            <FactList facts={facts} />
            <p className={style.free}>{words.free}</p>
          </div>
          {/* Beside the button, which on a phone is far from the heading. */}
          <div role="status" className={style.status}>
            {doing !== undefined && <Doing title={words.steps[doing]} />}
            {connected !== undefined && doing === undefined && (
              <Notice tone="good" title={words.done(shortHex(connected.ethereumAddress))}>
                {words.doneNext}
              </Notice>
            )}
          </div>
          {problem !== undefined && doing === undefined && <ConnectProblemNotice problem={problem} />}
          {wallet.isLooking ? (
            <p>{texts.sign.act.looking}</p>
          ) : (
            <WalletButtons
              wallet={wallet}
              verb={words.button}
              isBusy={doing !== undefined}
              onChoose={(id) => {
                if (canConnect) void connect(id, labelsOf(name, description));
              }}
              account={words.selected}
            />
          )}
        </>
      )}
    </Panel>
  );
}
