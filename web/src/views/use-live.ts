import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OperationAnswer } from '../api/ask.ts';
import { type Fault, faultOfProblem } from '../api/fault.ts';
import type { Operation } from '../api/operation.ts';
import type { AnswerState } from '../api/use-answer.ts';
import { type StreamState, useStream } from '../api/use-stream.ts';
import { SIGNED_OUT, type ViewProps } from './view-props.ts';

export type Live = {
  readonly stream: StreamState;
  /** Why the newest answer is not shown; null if it is. */
  readonly fault: Fault | null;
  /** How many answers have arrived. */
  readonly count: number;
  /** When data last arrived while this page was live, by the browser's clock; null if unknown. */
  readonly newestAtMs: number | null;
};

type Answer<Context> = { readonly viewer: OfViewer; readonly context: Context | null };

type OfViewer = {
  readonly username: string;
  readonly contexts: readonly { readonly name: string }[];
};

type Followed<Context, Data extends Answer<Context>, Asked, Streamed> = {
  readonly asked: AnswerState<Data, Asked>;
  /** The subscription for that answer. */
  readonly operation: Operation<{ readonly contextChanged: Context | null }, Streamed>;
  readonly variables: Streamed;
  /** Returns the answer with what was streamed. */
  readonly withContext: (data: Data, context: Context | null) => Data;
  /** Returns the variables of the question that a streamed answer answers. */
  readonly askedOf: (streamed: Streamed) => Asked;
  /** Returns what changes when data arrives. */
  readonly markOf: (data: Data) => string;
};

const STILL = { fault: null, count: 0, newestAtMs: null } as const;

/** Keeps a view's answer as new as the data, while its address says that it is live. */
export function useLive<Context, Data extends Answer<Context>, Asked, Streamed>(
  { address, session, onSignOut }: ViewProps,
  followed: Followed<Context, Data, Asked, Streamed>,
): Live {
  const { asked, operation, variables, withContext, askedOf, markOf } = followed;
  const [known, setKnown] = useState<Omit<Live, 'stream'>>(STILL);
  const isOn = address.live && asked.data?.context != null;
  const mark = useRef('');
  useEffect(() => {
    mark.current = '';
    setKnown(STILL);
  }, [isOn, address.context, address.group]);
  const onAnswer = useCallback(
    (
      { data, problems }: OperationAnswer<{ readonly contextChanged: Context | null }>,
      streamed: Streamed,
    ) => {
      const [problem] = problems;
      if (data.contextChanged === null && !problem) {
        // The context is gone or no longer granted: the query returns which contexts there are.
        asked.reload();
        return;
      }
      const fault = problem ? faultOfProblem(problem) : null;
      const answer = asked.data && withContext(asked.data, data.contextChanged);
      // Without the group, the answer still has the current groups to choose from.
      const isShown = answer?.context != null && !fault;
      if (isShown) asked.take({ data: answer, problems }, askedOf(streamed));
      const next = isShown ? markOf(answer) : mark.current;
      const isNew = next !== mark.current;
      mark.current = next;
      setKnown(({ count, newestAtMs }) => ({
        fault,
        count: count + 1,
        newestAtMs: isNew ? Date.now() : newestAtMs,
      }));
    },
    [asked.data, address.fromDr],
  );
  const stream = useStream(operation, variables, { session, isOn, onAnswer });
  useEffect(() => {
    if (stream.kind === 'lost' && stream.fault.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [stream]);
  return { ...known, stream };
}
