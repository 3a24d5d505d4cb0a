import { useQuery } from "@tanstack/react-query";
import type { Digests } from "../../file/digests.ts";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Time } from "../../parts/Time.tsx";
import { registry } from "../../service/client.ts";
import { findAssets } from "../../service/find-assets.ts";
import { texts } from "../../texts/texts.ts";
import style from "./register.module.css";

const words = texts.register.already;

/** Most registrations that are listed. */
const mostShown = 5;

/** Warns where the file is registered already; where the service cannot say so, nothing is said. */
export function AlreadyRegistered({ digests }: { digests: Digests }) {
  const { data } = useQuery({
    queryKey: ["assets by hash", [...digests]],
    queryFn: ({ signal }) => findAssets(registry, digests, signal),
  });
  const assets = data?.assets ?? [];
  if (assets.length === 0) return null;
  const more = assets.length - mostShown;
  return (
    <Notice tone="warn" title={words.title(assets.length)}>
      <p>{words.meaning}</p>
      <ul className={style.stack}>
        {assets.slice(0, mostShown).map(({ id, name, author, createdOn }) => (
          <li key={id}>
            <a href={`/console/assets/${id}`} target="_blank" rel="noreferrer">
              <ForeignText text={name} most={80} />
            </a>{" "}
            {words.by(author)}
            <Time at={createdOn} />
          </li>
        ))}
      </ul>
      {more > 0 && <p>{words.more(more)}</p>}
    </Notice>
  );
}
