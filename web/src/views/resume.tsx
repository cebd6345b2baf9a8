import { useEffect } from 'preact/hooks';
import { SignIn } from '../../generated/operations.ts';
import type { Session } from '../api/session.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { ContextChoice } from '../data/choices.ts';
import { FaultNotice } from '../parts/notice.tsx';
import { SIGNED_OUT } from './view-props.ts';

type ResumeProps = {
  readonly session: Session;
  readonly onContexts: (contexts: readonly ContextChoice[]) => void;
  readonly onSignOut: (why: string | null) => void;
};

/** Signed in, but without the choices, for example after storage was cleared. */
export function Resume({ session, onContexts, onSignOut }: ResumeProps) {
  const { data, fault, reload } = useAnswer(SignIn, {}, session);
  useEffect(() => {
    if (data) onContexts(data.viewer.contexts);
    if (fault?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [data, fault]);
  if (!fault) return <Loading />;
  return (
    <main class="sign-in">
      <FaultNotice isView fault={fault} onRetry={reload} />
    </main>
  );
}

/** While it is not known yet who is signed in, or what they may choose. */
export function Loading() {
  return (
    <main class="sign-in">
      <p role="status">Loading …</p>
    </main>
  );
}
