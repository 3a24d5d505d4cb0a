import type { Transaction } from "asset-registry-client";
import type { AssetDetails } from "../../../../domain/asset/asset.ts";
import { type Fact, FactList } from "../../parts/FactList.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { HexValue } from "../../parts/HexValue.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import { AssetRef, AssetRefs } from "./AssetRefs.tsx";
import style from "./RequestPanel.module.css";
import type { Change, checkRequest } from "./rules/check-request.ts";
import { shownChange } from "./rules/shown-change.ts";

type Found = ReturnType<typeof checkRequest>;

const words = texts.sign.what;

/** What the author is asked to sign, read from the bytes to sign where there still are any. */
export function RequestPanel({ asked, found }: { asked: Transaction; found: Found }) {
  const { chain, registry } = useSettings();
  const change = shownChange(asked, found);
  const { data, signer, assetId, to } = asked;
  return (
    <Panel title={found === undefined ? words.closedTitle : words.title}>
      {found !== undefined && "mismatch" in found && (
        <div role="alert">
          <Notice tone="bad" title={texts.sign.obstacles[found.mismatch].title}>
            {texts.sign.mismatchNext}
          </Notice>
        </div>
      )}
      {change !== undefined && (
        <>
          {found !== undefined && <p>{effectOf(change)}</p>}
          <FactList
            facts={[
              ...factsOf(change),
              { name: words.author, value: <HexValue value={signer} label={words.author} /> },
            ]}
          />
        </>
      )}
      <details className={style.details}>
        <summary>{words.details}</summary>
        <FactList
          facts={[
            { name: words.assetId, value: <HexValue value={assetId} label={words.assetId} /> },
            { name: words.chain, value: words.chainOf(chain.name, chain.id) },
            { name: words.registry, value: <HexValue value={to ?? registry} label={words.registry} /> },
            ...(data === null
              ? []
              : [
                  {
                    name: words.callData,
                    value: (
                      <span className={style.bytes}>
                        <ForeignText text={data} most={300} />
                      </span>
                    ),
                  },
                ]),
          ]}
        />
        {found !== undefined && "checked" in found && <p className={style.checked}>{words.checked}</p>}
      </details>
    </Panel>
  );
}

function effectOf(change: Change): string {
  return change.kind === "create" ? words.create : words[change.kind](change.children.length);
}

function factsOf(change: Change): Fact[] {
  if (change.kind !== "create") {
    return [
      { name: words.asset, value: <AssetRef id={change.parent} /> },
      {
        name: change.kind === "link" ? words.targets : words.revoked,
        value: <AssetRefs ids={change.children} />,
      },
    ];
  }
  const { details } = change;
  const names = Object.keys(words.fields) as (keyof AssetDetails)[];
  const empty = names.filter((field) => details[field] === "");
  const given = names.filter((field) => !empty.includes(field));
  return [
    ...given.map((field) => ({
      name: words.fields[field],
      value: <Text field={field} text={details[field]} />,
    })),
    ...(empty.length === 0
      ? []
      : [
          {
            name: words.empty,
            value: (
              <span className={style.empty}>{empty.map((field) => words.fields[field]).join(", ")}</span>
            ),
          },
        ]),
  ];
}

function Text({ field, text }: { field: keyof AssetDetails; text: string }) {
  if (field === "data") return <ForeignText text={text} block />;
  const shown = <ForeignText text={text} />;
  if (field === "name") return <strong>{shown}</strong>;
  return field === "hash" ? <code>{shown}</code> : shown;
}
