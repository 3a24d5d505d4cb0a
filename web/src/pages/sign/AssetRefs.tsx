import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Button } from "../../parts/Button.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { registry } from "../../service/client.ts";
import { texts } from "../../texts/texts.ts";
import style from "./AssetRefs.module.css";

/** Assets whose names are asked for at first. */
const FEW = 10;

/** An asset by its name, as the chain has it, and its id. */
export function AssetRef({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["public-asset", id],
    queryFn: ({ signal }) => registry.publicAsset(id, { signal }),
    staleTime: 60_000,
  });
  return (
    <span className={style.asset}>
      {data !== undefined && data.name !== "" && (
        <strong>
          <ForeignText text={data.name} most={120} />
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
