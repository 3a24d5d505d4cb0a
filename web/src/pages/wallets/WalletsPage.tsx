import { ForUser } from "../../identity/ForUser.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { WalletProvider } from "../../wallet/WalletProvider.tsx";
import { MyWallets } from "./MyWallets.tsx";

/** The wallets of the user: list, connect, remove. */
export function WalletsPage() {
  return (
    <Page title={texts.wallets.title} lead={texts.wallets.lead}>
      <ForUser why={texts.wallets.why}>
        {(user) => (
          <WalletProvider>
            <MyWallets {...user} />
          </WalletProvider>
        )}
      </ForUser>
    </Page>
  );
}
