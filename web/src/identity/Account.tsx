import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { Button } from "../parts/Button.tsx";
import { ForeignText } from "../parts/ForeignText.tsx";
import { useSettings } from "../service/settings.ts";
import { texts } from "../texts/texts.ts";
import style from "./Account.module.css";
import { isOwnPlace } from "./own-place.ts";
import { SIGNED_IN_PATH } from "./return-path.ts";
import { useSignedIn } from "./sessions.ts";
import { signOut } from "./sign-out.ts";

const words = texts.identity;

/** Who is signed in, in the header, with what ends it; or the way to sign in. */
export function Account({ onSignIn, isLeaving }: { onSignIn(returnTo: string): void; isLeaving: boolean }) {
  const { identity, publicUrl } = useSettings();
  const signedIn = useSignedIn();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const [isSigningOut, setSigningOut] = useState(false);
  if (identity === null) return null;
  if (signedIn.status !== "in") {
    const begin = () => {
      if (isOwnPlace(publicUrl, location.origin)) onSignIn(pathname + search);
      else void navigate(SIGNED_IN_PATH);
    };
    return (
      <div className={style.account}>
        <Button isBusy={isLeaving} onPress={begin}>
          {words.signIn}
        </Button>
      </div>
    );
  }
  const leave = async () => {
    if (isSigningOut) return;
    setSigningOut(true);
    if (!(await signOut(identity))) await navigate(SIGNED_IN_PATH, { state: { isHereOnly: true } });
    setSigningOut(false);
  };
  return (
    <div className={`${style.account} ${style.signedIn}`}>
      <span className={style.name}>
        <span className={style.hidden}>{words.signedInAs}</span>
        <ForeignText text={signedIn.session.name} most={40} brief />
      </span>
      <Button isBusy={isSigningOut} onPress={leave}>
        {words.signOut}
      </Button>
    </div>
  );
}
