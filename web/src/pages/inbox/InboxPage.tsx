import { ForUser } from "../../identity/ForUser.tsx";
import { MINE } from "../../identity/sessions.ts";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { useEvents } from "../../service/useEvents.ts";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { EntryList } from "./EntryList.tsx";
import { NothingWaits } from "./NothingWaits.tsx";

const words = texts.inbox;

/** What the user's accounts are asked to sign, and what became of it. */
export function InboxPage() {
  return (
    <Page title={words.title} lead={words.lead}>
      <ForUser why={words.why}>{({ asMe }) => <Inbox asMe={asMe} />}</ForUser>
    </Page>
  );
}

function Inbox({ asMe }: { asMe: AsMe }) {
  const isLive = useEvents({ readAs: asMe, queryKey: [MINE] });
  const shared = { asMe, isLive };
  return (
    <>
      <EntryList
        {...shared}
        which="open"
        title={words.open}
        count={words.waiting}
        none={<NothingWaits {...shared} />}
      />
      <EntryList {...shared} which="answered" title={words.answered} none={<p>{words.noneAnswered}</p>} />
    </>
  );
}
