import type { ReactNode } from "react";
import { SignInPanel } from "./SignInPanel.tsx";
import type { Session } from "./session.ts";
import { useSignedIn } from "./sessions.ts";
import { type AsMe, useMyRegistry } from "./use-my-registry.ts";

/** What only whoever is signed in sees. */
export type User = { session: Session; asMe: AsMe };

/** Shows its children to whoever is signed in, and to anybody else the way to be. */
export function ForUser({ why, children }: { why: string; children(user: User): ReactNode }) {
  const signedIn = useSignedIn();
  if (signedIn.status !== "in") return <SignInPanel why={why} hasEnded={signedIn.status === "ended"} />;
  // Somebody else begins anew.
  return (
    <AsUser key={signedIn.session.token} session={signedIn.session}>
      {children}
    </AsUser>
  );
}

function AsUser({ session, children }: { session: Session; children(user: User): ReactNode }) {
  const asMe = useMyRegistry(session);
  return children({ session, asMe });
}
