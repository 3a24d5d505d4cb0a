import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";

export function InboxPage() {
  return <Page title={texts.inbox.title} />;
}
