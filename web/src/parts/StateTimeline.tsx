import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import style from "./StateTimeline.module.css";
import { Time } from "./Time.tsx";
import { TransactionHash } from "./TransactionHash.tsx";
import { isRevoked, type TimelineRow, timelineOf } from "./timeline.ts";

type StateTimelineProps = {
  history: Parameters<typeof timelineOf>[0];
  /** Beside what holds now. */
  now?: ReactNode;
};

const words = texts.parts.timeline;

/** What happened to a request, and what it still has before it. */
export function StateTimeline({ history, now }: StateTimelineProps) {
  return (
    <ol className={style.timeline}>
      {timelineOf(history).map((row, at, rows) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: entries of a history keep their places
          key={at}
          row={row}
          isNewHash={row.transactionHash !== rows[at - 1]?.transactionHash}
          now={row.kind === "now" ? now : undefined}
        />
      ))}
    </ol>
  );
}

function Row({ row, isNewHash, now }: { row: TimelineRow; isNewHash: boolean; now: ReactNode }) {
  const { state, kind, at, undone, transactionHash, blockNumber } = row;
  const look = isRevoked(state) ? style.bad : style[kind];
  return (
    <li className={`${style.row} ${look}`} aria-current={kind === "now" ? "step" : undefined}>
      <span className={style.mark} aria-hidden="true" />
      <div className={style.words}>
        <p className={style.label} title={state}>
          {words.states[state]}
          {kind === "ahead" && <span className={style.quiet}> {words.ahead}</span>}
        </p>
        {undone && <p>{words.undone}</p>}
        {at !== undefined && (
          <p className={style.quiet}>
            <Time at={at} />
            {blockNumber !== undefined && ` · ${words.block(blockNumber)}`}
          </p>
        )}
        {transactionHash !== undefined && isNewHash && <TransactionHash hash={transactionHash} />}
        {now !== undefined && <div className={style.now}>{now}</div>}
      </div>
    </li>
  );
}
