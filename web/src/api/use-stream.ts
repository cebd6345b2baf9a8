import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperationAnswer } from './ask.ts';
import type { Fault } from './fault.ts';
import { follow } from './follow.ts';
import type { Operation } from './operation.ts';
import type { Session } from './session.ts';

/** The state of a stream; off if none is wanted. */
export type StreamState =
  | { readonly kind: 'off' | 'opening' | 'open' }
  | { readonly kind: 'lost'; readonly fault: Fault };

type Streamed<Data, Variables> = {
  readonly session: Session;
  readonly isOn: boolean;
  readonly onAnswer: (answer: OperationAnswer<Data>, variables: Variables) => void;
  /** Called whenever the server begins to stream. */
  readonly onOpen?: () => void;
};

const OFF: StreamState = { kind: 'off' };

/**
 * Follows a subscription while it is on and the page is visible. Opens a new stream when the
 * question or the session changes. Only the newest callbacks are called.
 */
export function useStream<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  { session, isOn, onAnswer, onOpen }: Streamed<Data, Variables>,
): StreamState {
  const [state, setState] = useState<StreamState>(OFF);
  const isWanted = useVisible() && isOn;
  const latest = useRef({ onAnswer, onOpen });
  latest.current = { onAnswer, onOpen };
  const question = JSON.stringify([operation.hash, variables, session]);
  useEffect(() => {
    if (!isWanted) return;
    const stopped = new AbortController();
    const become = (next: StreamState) => setState((now) => (isSame(now, next) ? now : next));
    become({ kind: 'opening' });
    void follow(operation, variables, {
      session,
      signal: stopped.signal,
      onAnswer: (answer) => {
        become({ kind: 'open' });
        latest.current.onAnswer(answer, variables);
      },
      onOpen: () => latest.current.onOpen?.(),
      onLost: (fault) => become({ kind: 'lost', fault }),
    });
    return () => {
      stopped.abort();
      setState(OFF);
    };
    // `question` covers everything that is used here.
  }, [question, isWanted]);
  return isWanted ? state : OFF;
}

const isSame = (one: StreamState, other: StreamState): boolean =>
  one.kind === other.kind && one.kind !== 'lost';

/** Returns whether the page is visible: a tab in the background follows nothing. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const follow = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
  return isVisible;
}
