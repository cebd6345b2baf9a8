import { useCallback, useEffect, useState } from 'preact/hooks';
import {
  browserSession,
  endSession,
  type Session,
  storedSession,
  storeSession,
} from './api/session.ts';
import type { ContextChoice } from './data/choices.ts';
import { storeChoices, storedChoices } from './data/stored-choices.ts';
import { useKeptFocus } from './parts/kept-focus.ts';
import { SignIn } from './views/header/sign-in.tsx';
import { Loading, Resume } from './views/resume.tsx';
import { useStart } from './views/use-start.ts';
import { Workspace } from './views/workspace.tsx';

/** The page: signed in or not, with the contexts to choose from. */
export function App() {
  const [session, setSession] = useState<Session | null>(storedSession);
  const [contexts, setContexts] = useState<readonly ContextChoice[] | null>(storedChoices);
  const [reason, setReason] = useState<string | null>(null);

  /** Whether the browser may have a session that this tab does not know yet. */
  const [isUnknown, setUnknown] = useState(session === null);

  const isReady = useStart(session, contexts);

  useKeptFocus();

  const keepContexts = useCallback((known: readonly ContextChoice[] | null) => {
    storeChoices(known);
    setContexts(known);
  }, []);
  const signIn = useCallback((next: Session, known: readonly ContextChoice[]) => {
    storeSession(next);
    setSession(next);
    keepContexts(known);
  }, []);
  useEffect(() => {
    if (!isUnknown) return;
    void browserSession().then((found) => {
      if (found) {
        storeSession(found);
        setSession(found);
      }
      setUnknown(false);
    });
  }, []);
  const signOut = useCallback((why: string | null) => {
    if (why === null) {
      void endSession().then((elsewhere) => {
        if (elsewhere !== null) location.assign(elsewhere);
      });
    }
    storeSession(null);
    setSession(null);
    keepContexts(null);
    setReason(why);
  }, []);

  if (isUnknown) return <Loading />;
  if (!session) {
    return <SignIn reason={reason} onSignIn={(one) => signIn(one.session, one.contexts)} />;
  }
  if (!contexts) return <Resume session={session} onContexts={keepContexts} onSignOut={signOut} />;
  if (!isReady) return <Loading />;
  return (
    <Workspace
      session={session}
      contexts={contexts}
      onContexts={keepContexts}
      onSignOut={signOut}
    />
  );
}
