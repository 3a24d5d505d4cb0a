import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Button } from "../../parts/Button.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { registry } from "../../service/client.ts";
import { useSettings } from "../../service/settings.ts";
import { texts } from "../../texts/texts.ts";
import style from "./AssetRefs.module.css";
import { provenName } from "./rules/proven-name.ts";

/** Assets whose names are asked for at first. */
const FEW = 10;

/** An asset by its id, and by its name where the id shows that it is this asset's. */
export function AssetRef({ id }: { id: string }) {
  const { chain, registry: address } = useSettings();
  const { data } = useQuery({
    queryKey: ["public-asset", id],
    queryFn: ({ signal }) => registry.publicAsset(id, { signal }),
    staleTime: 60_000,
  });
  const name = data && provenName(id, data, { chainId: chain.id, address });
  return (
    <span className={style.asset}>
      {name !== undefined && name !== "" && (
        <strong>
          <ForeignText text={name} most={120} />
        </strong>
      )}
      <Link to={`/assets/${id}`} title={id}>
        <code>{shortHex(id)}</code>
      </Link>
    </span>
  );
}

export function AssetRefs({ ids }: { ids: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? ids : ids.slice(0, FEW);
  return (
    <ul className={style.assets}>
      {shown.map((id) => (
        <li key={id}>
          <AssetRef id={id} />
        </li>
      ))}
      {shown.length < ids.length && (
        <li>
          <Button onPress={() => setOpen(true)}>{texts.sign.what.more(ids.length - shown.length)}</Button>
        </li>
      )}
    </ul>
  );
}
