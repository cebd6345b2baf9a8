import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Fault, FaultKind } from '../api/fault.ts';

type NoticeProps = {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What to do about it. */
  readonly actions?: ComponentChildren;
  readonly isFault?: boolean;
  /** Whether it replaces a whole view, of which it is the heading then. */
  readonly isView?: boolean;
};

/** Replaces what cannot be shown: says what is wrong, and what to do. */
export function Notice({ title, children, actions, isFault, isView }: NoticeProps) {
  const Heading = isView ? 'h1' : 'h2';
  return (
    <section class={`notice ${isFault ? 'is-fault' : ''}`} role={isFault ? 'alert' : 'status'}>
      <Heading>{title}</Heading>
      {children}
      {actions && <div class="notice-actions">{actions}</div>}
    </section>
  );
}

const TITLES: Readonly<Record<FaultKind, string>> = {
  unauthenticated: 'You are signed out',
  locked: 'Too many failed log-ins',
  busy: 'The server is busy',
  unreachable: 'The server cannot be reached',
  timeout: 'This took too long',
  backend: 'The database does not answer',
  limit: 'This exceeds a limit of the server',
  input: 'The server cannot answer this',
  outdated: 'This page is older than the server',
  broken: 'Something went wrong on the server',
  page: 'Something went wrong in this page',
};

const ADVICE: Readonly<Record<FaultKind, string>> = {
  unauthenticated: 'Sign in again: the session has ended, or the token was changed or revoked.',
  locked: "Wait, then check the user and token. The server's operator can create a new token.",
  busy: 'Retrying in a moment.',
  unreachable: 'Check the network, and whether the server is running. Retrying automatically.',
  timeout: 'Choose a shorter window or fewer keys, and try again.',
  backend:
    'The PostgreSQL node of this context is down or cannot be reached. Try again, or ask the recovery node if there is one.',
  limit: 'Choose a shorter window or fewer keys.',
  input: 'Check the filter and the window.',
  outdated: 'Reload the page.',
  broken: "Try again. If this keeps happening, look up the request below in the server's log.",
  page: 'Reload the page. If this keeps happening, report the error below.',
};

const RETRIED: ReadonlySet<FaultKind> = new Set(['busy', 'unreachable']);

type FaultNoticeProps = {
  readonly fault: Fault;
  readonly onRetry: () => void;
  readonly actions?: ComponentChildren;
  /** What is missing, if only a part is. */
  readonly missing?: string;
  readonly isView?: boolean;
};

export function FaultNotice(props: FaultNoticeProps) {
  const { fault, onRetry, actions, missing, isView = false } = props;
  const left = useCountdown(
    RETRIED.has(fault.kind) ? (fault.retrySeconds ?? 10) : null,
    fault,
    onRetry,
  );
  return (
    <Notice
      isFault
      isView={isView}
      title={TITLES[fault.kind]}
      actions={
        <>
          <button
            type="button"
            class="button is-primary"
            onClick={fault.kind === 'outdated' ? () => location.reload() : onRetry}
          >
            {fault.kind === 'outdated' ? 'Reload the page' : 'Try again'}
          </button>
          {actions}
        </>
      }
    >
      {missing && <p>{missing}</p>}
      <p>{ADVICE[fault.kind]}</p>
      <p class="notice-detail">
        {[
          fault.message === TITLES[fault.kind] ? null : fault.message,
          left === null ? null : `retrying in ${left} s`,
          fault.requestId && `request ${fault.requestId}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </Notice>
  );
}

/** Counts down and then calls `done`. Returns the seconds left; null if there is no countdown. */
function useCountdown(seconds: number | null, about: unknown, done: () => void): number | null {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    if (seconds === null) return;
    const end = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const remaining = Math.ceil((end - Date.now()) / 1000);
      setLeft(Math.max(0, remaining));
      if (remaining > 0) return;
      clearInterval(timer);
      done();
    }, 250);
    return () => clearInterval(timer);
  }, [seconds, about]);
  return left;
}
