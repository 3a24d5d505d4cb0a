import { useQuery } from "@tanstack/react-query";
import { MINE } from "../../identity/sessions.ts";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { ButtonLink } from "../../parts/ButtonLink.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { texts } from "../../texts/texts.ts";
import { pauseOf } from "./use-entries.ts";

const words = texts.inbox;

/** An empty inbox, and what to do where no account is known that could be asked. */
export function NothingWaits({ asMe, isLive }: { asMe: AsMe; isLive: boolean }) {
  const { data } = useQuery({
    queryKey: [MINE, "wallets"],
    queryFn: ({ signal }) => asMe((registry) => registry.wallets({ signal })),
    // It may be connected on another device.
    refetchInterval: pauseOf(isLive),
  });
  if (data === undefined) return null;
  if (data.length > 0) return <Notice title={words.none}>{words.noneHint(data.length)}</Notice>;
  return (
    <>
      <Notice title={words.noWallet}>{words.noWalletHint}</Notice>
      <p>
        <ButtonLink to="/wallets" kind="primary">
          {words.connect}
        </ButtonLink>
      </p>
    </>
  );
}
