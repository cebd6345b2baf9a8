import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, type OperationAnswer } from './ask.ts';
import { type Fault, faultOf, type GraphQLProblem } from './fault.ts';
import type { Operation } from './operation.ts';
import type { Session } from './session.ts';

/** The newest answer to a question, and how to ask again. */
export type AnswerState<Data, Variables> = {
  /** The newest answer, even if it is for another question while this one is being asked. */
  readonly data: Data | null;
  /** The variables of that answer. */
  readonly variables: Variables | null;
  readonly problems: readonly GraphQLProblem[];
  readonly fault: Fault | null;
  /** Why the last `refresh` brought no newer answer; null if it did. */
  readonly refreshFault: Fault | null;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
  /** Asks again, and keeps showing the current answer until a new one arrives, or if none does. */
  readonly refresh: () => void;
  /** Shows a newer answer that arrived by another way. */
  readonly take: (answer: OperationAnswer<Data>, variables: Variables) => void;
};

type Known<Data, Variables> = Omit<AnswerState<Data, Variables>, 'reload' | 'refresh' | 'take'>;

/**
 * Returns the answer to a question, asking again when the question changes. The earlier request is
 * then aborted, and its answer ignored if it still arrives. Variables that are null are not known
 * yet: nothing is asked.
 */
export function useAnswer<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables | null,
  session: Session,
): AnswerState<Data, Variables> {
  const [known, setKnown] = useState<Known<Data, Variables>>(NOTHING_YET);
  const { round, reload, refresh, begin, end } = useRounds();
  const subject = JSON.stringify([operation.hash, variables, session]);
  const question = `${subject}${round.count}`;
  const asking = useRef('');
  const answered = useRef('');
  const failed = useRef('');
  const isQuiet = round.isQuiet && answered.current === subject;
  useEffect(() => {
    asking.current = question;
    if (variables === null) return;
    const stopped = new AbortController();
    begin();
    // A fault of another question does not concern this one.
    const isOther = failed.current !== subject;
    if (!isQuiet) {
      setKnown((before) => ({
        ...before,
        fault: isOther ? null : before.fault,
        isLoading: true,
      }));
    }
    ask(operation, variables, { session, signal: stopped.signal }).then(
      ({ data, problems }) => {
        if (asking.current !== question) return;
        answered.current = subject;
        setKnown({ data, variables, problems, ...IN_ORDER });
        end();
      },
      (error: unknown) => {
        if (stopped.signal.aborted || asking.current !== question) return;
        const fault = faultOf(error);
        if (isQuiet) {
          setKnown((before) => ({ ...before, refreshFault: fault }));
        } else {
          failed.current = subject;
          setKnown((before) => ({ ...before, fault, isLoading: false }));
        }
        end();
      },
    );
    return () => stopped.abort();
    // `question` covers everything that is used here.
  }, [question]);
  const take = useCallback((answer: OperationAnswer<Data>, asked: Variables) => {
    const { data, problems } = answer;
    setKnown({ data, variables: asked, problems, ...IN_ORDER });
  }, []);
  // Between a new question and the effect that asks it, the old answer counts as loading too.
  const isLoading = known.isLoading || (asking.current !== question && !isQuiet);
  return { ...known, isLoading, reload, refresh, take };
}

const IN_ORDER = { fault: null, refreshFault: null, isLoading: false } as const;

const NOTHING_YET = {
  data: null,
  variables: null,
  problems: [],
  fault: null,
  refreshFault: null,
  isLoading: true,
} as const;

/** Counts how often a question was asked. A refresh during a request waits until it ends. */
function useRounds() {
  const [round, setRound] = useState({ count: 0, isQuiet: false });
  const isUnderWay = useRef(false);
  const isDue = useRef(false);
  const next = (isQuiet: boolean) => setRound(({ count }) => ({ count: count + 1, isQuiet }));
  const reload = useCallback(() => next(false), []);
  const refresh = useCallback(() => {
    if (isUnderWay.current) isDue.current = true;
    else next(true);
  }, []);
  const begin = () => {
    isUnderWay.current = true;
    isDue.current = false;
  };
  const end = () => {
    isUnderWay.current = false;
    if (isDue.current) next(true);
  };
  return { round, reload, refresh, begin, end };
}
