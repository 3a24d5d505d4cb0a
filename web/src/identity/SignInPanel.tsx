import { useLocation } from "react-router";
import { Button } from "../parts/Button.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Panel } from "../parts/Panel.tsx";
import { useSettings } from "../service/settings.ts";
import { texts } from "../texts/texts.ts";
import { isOwnPlace } from "./own-place.ts";
import style from "./SignInPanel.module.css";
import { SignInProblemNotice } from "./SignInProblemNotice.tsx";
import { useSignIn } from "./use-sign-in.ts";

const words = texts.identity;

type SignInPanelProps = {
  /** What the page shows to whoever is signed in. */
  why: string;
  /** Whether a session has just ended. */
  hasEnded?: boolean;
  /** Where the sign-in leads back to, instead of this page. */
  returnTo?: string;
};

/** Leads to the identity provider, and back to the page. */
export function SignInPanel({ why, hasEnded = false, returnTo }: SignInPanelProps) {
  const { identity, publicUrl } = useSettings();
  const { pathname, search } = useLocation();
  const { signIn, isLeaving, problem } = useSignIn();
  if (identity === null) return <Notice title={words.none}>{words.noneHint}</Notice>;
  const back = returnTo ?? pathname + search;
  if (!isOwnPlace(publicUrl, location.origin)) {
    return (
      <Notice tone="warn" title={words.elsewhere}>
        <a href={`${publicUrl}/console${back}`}>{words.goThere(publicUrl)}</a>
      </Notice>
    );
  }
  return (
    <Panel title={hasEnded ? words.ended : words.signInTitle}>
      <p>{hasEnded ? words.endedHint : why}</p>
      {problem !== undefined && <SignInProblemNotice problem={problem} />}
      <div className={style.action}>
        <Button kind="primary" isBusy={isLeaving} onPress={() => void signIn(back)}>
          {hasEnded ? words.signInAgain : words.signInAt(hostOf(identity.issuer))}
        </Button>
        <p className={style.hint}>{words.howItWorks}</p>
      </div>
    </Panel>
  );
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
