import { type AssetState, RegistryError, type Transaction } from "asset-registry-client";
import { useMemo } from "react";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { StateBadge } from "../../parts/StateBadge.tsx";
import { Time } from "../../parts/Time.tsx";
import { useSettings } from "../../service/settings.ts";
import { Loading } from "../../shell/Loading.tsx";
import { Page } from "../../shell/Page.tsx";
import { texts } from "../../texts/texts.ts";
import { AnswerPanel } from "./AnswerPanel.tsx";
import { ProgressPanel } from "./ProgressPanel.tsx";
import style from "./RequestPage.module.css";
import { RequestPanel } from "./RequestPanel.tsx";
import { checkRequest } from "./rules/check-request.ts";
import { outlookOf } from "./rules/outlook.ts";
import { useNow } from "./use-now.ts";
import { useRequest } from "./use-request.ts";
import { useSigning } from "./use-signing.ts";

const words = texts.sign;

/** A request of somebody for the author's signature: what it is, the author's answer, and how far it is. */
export function RequestPage({ id }: { id: string }) {
  const request = useRequest(id);
  const { asked, status, error, isAway } = request;
  const signing = useSigning(id, asked?.signer, request);
  const now = useNow();
  const { chain, registry } = useSettings();
  const found = useMemo(
    () => asked && checkRequest(asked, { chainId: chain.id, address: registry }),
    [asked, chain.id, registry],
  );
  if (asked === undefined || status === undefined) return <NotShown error={error} isAway={isAway} />;

  const outlook = outlookOf(status, signing.note, now);
  return (
    <Page title={words.titles[asked.kind]} lead={<Lead asked={asked} state={status.state} />} wide>
      <div className={`${style.columns} ${outlook.canSign ? "" : style.answered}`}>
        <RequestPanel asked={asked} found={found} />
        <div className={style.side}>
          <AnswerPanel asked={asked} found={found} outlook={outlook} signing={signing} />
          <ProgressPanel status={status} />
        </div>
      </div>
    </Page>
  );
}

function Lead({ asked: { requestedBy, createdAt }, state }: { asked: Transaction; state: AssetState }) {
  return (
    <span className={style.lead}>
      <span>
        {words.askedBy}{" "}
        <strong>
          <ForeignText text={requestedBy} most={80} />
        </strong>{" "}
        {words.askedOn} <Time at={createdAt} />
      </span>
      <StateBadge state={state} />
    </span>
  );
}

function NotShown({ error, isAway }: { error: unknown; isAway: boolean }) {
  if (error === null && !isAway) return <Loading />;
  const isUnknown = error instanceof RegistryError && [400, 404].includes(error.status);
  if (error !== null && !isUnknown && !isAway) throw error;
  const { title, next } = isUnknown ? words.unknown : words.away;
  return (
    <Page title={words.title}>
      <div role="alert">
        <Notice tone={isUnknown ? "bad" : "warn"} title={title}>
          {next}
        </Notice>
      </div>
    </Page>
  );
}
