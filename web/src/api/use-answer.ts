import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './ask.ts';
import { type Fault, type GraphQLProblem, NoAnswer, UNREACHABLE } from './fault.ts';
import type { Operation } from './operation.ts';
import type { Session } from './session.ts';

export type Asked<Data, Variables> = {
  /** The newest answer there is, be it to another question while this one's is under way. */
  readonly data: Data | null;
  /** What that answer was asked with. */
  readonly variables: Variables | null;
  readonly problems: readonly GraphQLProblem[];
  readonly fault: Fault | null;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
};

type Known<Data, Variables> = Omit<Asked<Data, Variables>, 'reload'>;

/**
 * The answer to a question, asked again when the question changes. What was asked before is given
 * up then, and its answer, should it come, is nobody's.
 */
export function useAnswer<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  session: Session,
): Asked<Data, Variables> {
  const [known, setKnown] = useState<Known<Data, Variables>>({
    ...{ data: null, variables: null, problems: [], fault: null },
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const subject = JSON.stringify([operation.hash, variables, session]);
  const question = `${subject}${round}`;
  const asking = useRef('');
  const failed = useRef('');
  useEffect(() => {
    const stopped = new AbortController();
    asking.current = question;
    // What went wrong with another question is of no interest to this one.
    const forget = failed.current !== subject && { fault: null };
    setKnown((before) => ({ ...before, ...forget, isLoading: true }));
    ask(operation, variables, { session, signal: stopped.signal }).then(
      ({ data, problems }) => {
        if (asking.current !== question) return;
        setKnown({ data, variables, problems, fault: null, isLoading: false });
      },
      (error: unknown) => {
        if (stopped.signal.aborted || asking.current !== question) return;
        failed.current = subject;
        const fault = error instanceof NoAnswer ? error.fault : { ...UNREACHABLE, ...named(error) };
        setKnown((before) => ({ ...before, fault, isLoading: false }));
      },
    );
    return () => stopped.abort();
    // The question is made of all that is used here.
  }, [question]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  // Between a new question and the effect that asks it the old answer is shown as old, too.
  return { ...known, isLoading: known.isLoading || asking.current !== question, reload };
}

const named = (error: unknown) => ({ message: error instanceof Error ? error.message : 'unknown' });
