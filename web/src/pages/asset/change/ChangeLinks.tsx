import type { PublicAsset } from "asset-registry-client";
import { useState } from "react";
import { ApiKeyForm } from "../../../parts/ApiKeyForm.tsx";
import { Button } from "../../../parts/Button.tsx";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { readableName } from "../../../parts/foreign-text.ts";
import { shortHex } from "../../../parts/HexValue.tsx";
import { Notice } from "../../../parts/Notice.tsx";
import { Panel } from "../../../parts/Panel.tsx";
import { AssetPicker } from "../../../search/AssetPicker.tsx";
import { problemInWords } from "../../../service/problem-words.ts";
import { useSettings } from "../../../service/settings.ts";
import { useApiKey } from "../../../service/use-api-key.ts";
import { texts } from "../../../texts/texts.ts";
import type { Links } from "../links/useLinks.ts";
import style from "./Change.module.css";
import { useLinkChange } from "./useLinkChange.ts";

const words = texts.asset.change;

/** Asks the author for new links from an asset; needs the integrator's key, and leads to the page to sign on. */
export function ChangeLinks({ asset, links }: { asset: PublicAsset; links: Links }) {
  const key = useApiKey();
  const { limits } = useSettings();
  const [chosen, setChosen] = useState<PublicAsset[]>([]);
  const change = useLinkChange(asset.id);
  const linked = new Set(links.to.map(({ id }) => id as string));

  const reasonAgainst = ({ id }: PublicAsset): string | undefined => {
    if (id === asset.id) return words.itself;
    if (linked.has(id)) return words.linked;
    if (chosen.some((one) => one.id === id)) return words.isChosen;
    return chosen.length >= limits.targets ? words.full(limits.targets) : undefined;
  };
  return (
    <Panel title={words.title}>
      <p>{words.lead}</p>
      {key === undefined ? (
        <details className={style.key}>
          <summary>{words.withKey}</summary>
          <ApiKeyForm />
        </details>
      ) : (
        <ApiKeyForm />
      )}
      {key !== undefined && (
        <>
          {chosen.length > 0 && (
            <section aria-label={words.chosen} className={style.chosen}>
              <h3>{words.chosen}</h3>
              <ul>
                {chosen.map(({ id, name }) => (
                  <li key={id} className={style.row}>
                    <span>
                      <ForeignText text={name} most={80} brief /> <code>{shortHex(id)}</code>
                    </span>
                    <Button onPress={() => setChosen(chosen.filter((one) => one.id !== id))}>
                      {words.drop}
                    </Button>
                  </li>
                ))}
              </ul>
              <p>
                <Button
                  kind="primary"
                  isBusy={change.isPending}
                  onPress={() => change.mutate({ kind: "link", targets: chosen.map(({ id }) => id) })}
                >
                  {words.ask(chosen.length)}
                </Button>
              </p>
            </section>
          )}
          <AssetPicker
            label={words.search}
            actions={(found) => {
              const reason = reasonAgainst(found);
              if (reason !== undefined) return <span className={style.quiet}>{reason}</span>;
              return (
                <Button
                  aria-label={words.chooseThis(readableName(found.name))}
                  onPress={() => setChosen([...chosen, found])}
                >
                  {words.choose}
                </Button>
              );
            }}
          />
          {change.isError && (
            <div role="alert">
              <Notice tone="warn">{problemInWords(change.error)}</Notice>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}
