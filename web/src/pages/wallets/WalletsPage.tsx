import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function WalletsPage() {
  return <Page title={texts.wallets.title} />;
}
