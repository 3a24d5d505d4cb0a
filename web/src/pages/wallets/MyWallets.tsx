import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { User } from "../../identity/ForUser.tsx";
import { MINE } from "../../identity/sessions.ts";
import { Button } from "../../parts/Button.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Panel } from "../../parts/Panel.tsx";
import { Rows } from "../../parts/panel/Rows.tsx";
import { StatusLine } from "../../parts/panel/StatusLine.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { useEvents } from "../../service/useEvents.ts";
import { texts } from "../../texts/texts.ts";
import { ConnectPanel } from "./ConnectPanel.tsx";
import { WalletCard } from "./WalletCard.tsx";

const words = texts.wallets;

/** The connected wallets, and the way to connect another. */
export function MyWallets(user: User) {
  const client = useQueryClient();
  // They may be connected and removed elsewhere, too.
  useEvents({ readAs: user.asMe, query: { kinds: ["wallet"] }, queryKey: [MINE, "wallets"] });
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [MINE, "wallets"],
    queryFn: ({ signal }) => user.asMe((registry) => registry.wallets({ signal })),
  });
  const status = useRef<HTMLDivElement>(null);
  const before = useRef(0);
  const many = data?.length ?? before.current;
  useEffect(() => {
    // The button that had the focus is gone with its wallet.
    if (many < before.current) status.current?.focus();
    before.current = many;
  }, [many]);
  const changed = () => void client.invalidateQueries({ queryKey: [MINE] });
  return (
    <>
      <Panel title={words.connected}>
        <StatusLine ref={status} tabIndex={-1}>
          {data === undefined && error === null && texts.parts.loading}
          {data !== undefined && (data.length === 0 ? words.none : words.count(data.length))}
        </StatusLine>
        {error !== null && (
          <div role="alert">
            <Notice tone="warn" title={problemInWords(error)}>
              <Button onPress={() => void refetch()} isBusy={isFetching}>
                {texts.search.again}
              </Button>
            </Notice>
          </div>
        )}
        {data !== undefined && data.length > 0 && (
          <Rows>
            {data.map((wallet) => (
              <li key={wallet.id}>
                <WalletCard wallet={wallet} asMe={user.asMe} onRemoved={changed} />
              </li>
            ))}
          </Rows>
        )}
      </Panel>
      {data !== undefined && <ConnectPanel user={user} mine={data} onConnected={changed} />}
    </>
  );
}
