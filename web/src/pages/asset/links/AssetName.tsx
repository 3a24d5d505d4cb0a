import { Link } from "react-router";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { shortHex } from "../../../parts/HexValue.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "./Links.module.css";

type AssetNameProps = {
  id: string;
  /** Its name, where it is known. */
  name: string | undefined;
};

/** The link to an asset's page by its name, with its id beside it. */
export function AssetName({ id, name }: AssetNameProps) {
  return (
    <>
      <Link to={`/assets/${id}`} className={style.name}>
        {name === undefined ? (
          <code>{shortHex(id)}</code>
        ) : name.trim() === "" ? (
          texts.asset.unnamed
        ) : (
          <ForeignText text={name} most={80} brief />
        )}
      </Link>
      {name !== undefined && <code className={style.id}>{shortHex(id)}</code>}
    </>
  );
}
