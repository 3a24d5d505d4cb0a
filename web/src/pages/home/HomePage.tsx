import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function HomePage() {
  return <Page title={texts.home.title} />;
}
