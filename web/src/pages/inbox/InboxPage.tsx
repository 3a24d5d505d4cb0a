import { ForUser } from "../../identity/ForUser.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { EntryList } from "./EntryList.tsx";
import { NothingWaits } from "./NothingWaits.tsx";

const words = texts.inbox;

/** What the user's accounts are asked to sign, and what became of it. */
export function InboxPage() {
  return (
    <Page title={words.title} lead={words.lead}>
      <ForUser why={words.why}>
        {({ asMe }) => (
          <>
            <EntryList
              asMe={asMe}
              which="open"
              title={words.open}
              count={words.waiting}
              none={<NothingWaits asMe={asMe} />}
            />
            <EntryList
              asMe={asMe}
              which="answered"
              title={words.answered}
              none={<p>{words.noneAnswered}</p>}
            />
          </>
        )}
      </ForUser>
    </Page>
  );
}
