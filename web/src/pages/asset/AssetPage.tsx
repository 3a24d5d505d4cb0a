import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function AssetPage() {
  return <Page title={texts.asset.title} />;
}
