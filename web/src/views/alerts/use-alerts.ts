import { useCallback, useEffect, useRef } from 'preact/hooks';
import { AlertChanges, Alerts } from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import { faultOfProblem } from '../../api/fault.ts';
import type { Session } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type StreamState, useStream } from '../../api/use-stream.ts';
import type { Rule } from '../../data/alerts/firing.ts';
import { mayEdit } from '../../data/edits/may-edit.ts';
import type { ContextStatus } from '../../data/overview/context-status.ts';
import { nodeOf } from '../../data/questions.ts';
import type { AlertsState } from '../alerts-state.ts';
import { SIGNED_OUT } from '../view-props.ts';

type AlertsProps = {
  readonly session: Session;
  readonly address: Address;
  readonly onSignOut: (why: string | null) => void;
};

const EVERY_MS = 60_000;

/** Shorter after a failure, while what is shown may be outdated. */
const AGAIN_MS = 10_000;

export function useAlerts({ session, address, onSignOut }: AlertsProps): AlertsState {
  const question = nodeOf(address);
  const { data, variables, problems, isLoading, ...asked } = useAnswer(Alerts, question, session);
  const subject = JSON.stringify(question);
  const known = useRef<Known | null>(null);
  const isAnswered = JSON.stringify(variables) === subject;
  const [problem] = isAnswered ? problems : [];
  if (isAnswered && data && !problem) {
    // A context that is not granted has no alerts; the view says that it is not granted.
    const { alerts = [], totalWindow = null, exporters = [] } = data.context ?? {};
    known.current = {
      subject,
      rules: alerts,
      status: { newest: totalWindow?.to ?? null, exporters },
    };
  }
  const fault = asked.fault ?? asked.refreshFault ?? (problem ? faultOfProblem(problem) : null);
  const isBusy = useRef(isLoading);
  isBusy.current = isLoading;
  const refresh = useCallback(() => {
    if (!isBusy.current) asked.refresh();
  }, [asked.refresh]);
  useRepeated(refresh, fault ? AGAIN_MS : EVERY_MS);
  useEffect(() => {
    if (fault?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [fault?.kind]);
  const { rules, status } = known.current?.subject === subject ? known.current : UNKNOWN;
  const stream = useChanges({ session, address, rules, refresh });
  const isAdmin = data?.viewer.isAdmin ?? false;
  const mayAdd = isAdmin || (data?.viewer.editableContexts.length ?? 0) > 0;
  return {
    rules,
    status,
    fault,
    stream,
    refresh,
    isAdmin,
    mayAdd,
    mayEdit: mayEdit(data, address),
  };
}

/** What is known of a context. */
type Known = { subject: string; rules: readonly Rule[]; status: ContextStatus };

const UNKNOWN = { rules: null, status: null } as const;

type ChangesProps = Pick<AlertsProps, 'session' | 'address'> &
  Pick<AlertsState, 'rules' | 'refresh'>;

/** Changes in quick succession cause one request in this time. */
const BURST_MS = 300;

/**
 * Asks again when an event begins or ends, while the view is live and there are rules. A message
 * only says that something changed; what is firing comes from the query. So it does not matter if
 * messages are missed while the connection is lost.
 */
function useChanges({ session, address, rules, refresh }: ChangesProps): StreamState {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const refreshSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      refresh();
    }, BURST_MS);
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  const isOn = address.live && (rules ?? []).some(({ enabled }) => enabled);
  const stream = useStream(
    AlertChanges,
    { context: address.context ?? '' },
    { session, isOn, onAnswer: refreshSoon, onOpen: refreshSoon },
  );
  useEffect(() => {
    // Asking again shows whether the server answers at all.
    if (stream.kind === 'lost') refreshSoon();
  }, [stream]);
  return stream;
}

/** Repeats a call while the page is visible, and calls when it is visible again. */
export function useRepeated(act: () => void, everyMs: number): void {
  useEffect(() => {
    const unlessHidden = () => {
      if (!document.hidden) act();
    };
    const timer = setInterval(unlessHidden, everyMs);
    document.addEventListener('visibilitychange', unlessHidden);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', unlessHidden);
    };
  }, [act, everyMs]);
}

/** Asks for alerts again whenever a view loads. */
export function useRefreshedBy(isLoading: boolean, { refresh }: AlertsState): void {
  useEffect(() => {
    if (isLoading) refresh();
  }, [isLoading]);
}
