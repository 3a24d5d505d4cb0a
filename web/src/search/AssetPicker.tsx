import type { PublicAsset } from "asset-registry-client";
import { type ReactNode, useMemo, useState } from "react";
import { Notice } from "../parts/Notice.tsx";
import { texts } from "../texts/texts.ts";
import { AssetListing } from "./AssetListing.tsx";
import { FileSearch } from "./FileSearch.tsx";
import { SearchBox } from "./SearchBox.tsx";
import { type Ask, type Understood, understand } from "./understand.ts";
import { useFound } from "./useFound.ts";

type AssetPickerProps = {
  label: string;
  /** What can be done with an asset that was found. */
  actions(asset: PublicAsset): ReactNode;
};

/** Finds other assets by whatever can be searched for, or by their file. */
export function AssetPicker({ label, actions }: AssetPickerProps) {
  const [text, setText] = useState("");
  const understood = useMemo(() => understand(text), [text]);
  const asks = asksOf(understood);
  return (
    <>
      <SearchBox text={text} label={label} onSearch={setText} />
      {understood.kind === "problem" && (
        <div role="alert">
          <Notice tone="warn">{texts.search.problem(understood.problem)}</Notice>
        </div>
      )}
      {asks.length > 0 && <Found asks={asks} actions={actions} />}
      {asks.length === 0 && <FileSearch actions={actions} />}
    </>
  );
}

function asksOf(understood: Understood): readonly Ask[] {
  if (understood.kind === "search") return understood.asks;
  const [, id] = (understood.kind === "page" && /^\/assets\/(0x[0-9a-f]{64})$/.exec(understood.path)) || [];
  return id === undefined ? [] : [{ by: "id", id }];
}

function Found({ asks, actions }: { asks: readonly Ask[] } & Pick<AssetPickerProps, "actions">) {
  const found = useFound(asks);
  return (
    <AssetListing
      listing={found}
      isCounted
      isExplained
      actions={({ asset }) => actions(asset)}
      none={<Notice title={texts.search.none}>{texts.search.noneHint}</Notice>}
    />
  );
}
