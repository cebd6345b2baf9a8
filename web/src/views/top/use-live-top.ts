import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type {
  LiveTopKeysSubscription,
  LiveTopKeysWithoutSubscriptionVariables,
  TopKeysWithoutQueryVariables,
} from '../../../generated/operations.ts';
import type { OperationAnswer } from '../../api/ask.ts';
import { type Fault, faultOfProblem } from '../../api/fault.ts';
import type { AnswerState } from '../../api/use-answer.ts';
import { type StreamState, useStream } from '../../api/use-stream.ts';
import { dataMark, liveQuestion } from '../../data/live-top.ts';
import type { TopAnswer } from '../../data/shown-toppers.ts';
import { SIGNED_OUT, type ViewProps } from '../view-props.ts';

export type LiveTop = {
  readonly stream: StreamState;
  /** Why the newest answer is not shown; null if it is. */
  readonly fault: Fault | null;
  /** How many answers have arrived. */
  readonly count: number;
  /** When data last arrived while this page was live, by the browser's clock; null if unknown. */
  readonly newestAtMs: number | null;
};

type StreamVariables = LiveTopKeysWithoutSubscriptionVariables;

type TopAnswerState = AnswerState<TopAnswer, TopKeysWithoutQueryVariables>;

const STILL = { fault: null, count: 0, newestAtMs: null } as const;

/** Keeps a top view's answer as new as the data, while its address says that it is live. */
export function useLiveTop(
  props: ViewProps,
  asked: TopAnswerState,
  variables: TopKeysWithoutQueryVariables,
): LiveTop {
  const { address, session, onSignOut } = props;
  const [known, setKnown] = useState<Omit<LiveTop, 'stream'>>(STILL);
  const isOn = address.live && asked.data?.context != null;
  const mark = useRef('');
  useEffect(() => {
    mark.current = '';
    setKnown(STILL);
  }, [isOn, address.context, address.group]);
  const question = liveQuestion(variables, asked.data);
  const onAnswer = useCallback(
    ({ data, problems }: OperationAnswer<LiveTopKeysSubscription>, streamed: StreamVariables) => {
      const [problem] = problems;
      if (data.contextChanged === null && !problem) {
        // The context is gone or no longer granted: the query returns which contexts there are.
        asked.reload();
        return;
      }
      const fault = problem ? faultOfProblem(problem) : null;
      const answer = asked.data && { viewer: asked.data.viewer, context: data.contextChanged };
      // Without the group, the answer still has the current groups to choose from.
      const isShown = answer?.context != null && !fault;
      if (isShown) asked.take({ data: answer, problems }, { ...streamed, fromDr: address.fromDr });
      const next = isShown ? dataMark(answer) : mark.current;
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
  const stream = useStream(question.operation, question.variables, { session, isOn, onAnswer });
  useEffect(() => {
    if (stream.kind === 'lost' && stream.fault.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [stream]);
  return { ...known, stream };
}
