import { useCallback, useState } from 'preact/hooks';
import { type Session, storedSession, storeSession } from './api/session.ts';
import type { ContextChoice } from './data/choices.ts';
import { storeChoices, storedChoices } from './data/stored-choices.ts';
import { useKeptFocus } from './parts/kept-focus.ts';
import { SignIn } from './views/header/sign-in.tsx';
import { Resume } from './views/resume.tsx';
import { Workspace } from './views/workspace.tsx';

/** The page: signed in or not, with the contexts to choose from. */
export function App() {
  const [session, setSession] = useState<Session | null>(storedSession);
  const [contexts, setContexts] = useState<readonly ContextChoice[] | null>(storedChoices);
  const [reason, setReason] = useState<string | null>(null);

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
  const signOut = useCallback((why: string | null) => {
    storeSession(null);
    setSession(null);
    keepContexts(null);
    setReason(why);
  }, []);

  if (!session) {
    return <SignIn reason={reason} onSignIn={(one) => signIn(one.session, one.contexts)} />;
  }
  if (!contexts) return <Resume session={session} onContexts={keepContexts} onSignOut={signOut} />;
  return (
    <Workspace
      session={session}
      contexts={contexts}
      onContexts={keepContexts}
      onSignOut={signOut}
    />
  );
}
