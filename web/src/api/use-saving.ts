import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './ask.ts';
import { type Fault, faultOf, faultOfProblem } from './fault.ts';
import type { Operation } from './operation.ts';
import type { Session } from './session.ts';

export type Saving<Variables> = {
  readonly isSaving: boolean;
  /** Why the last change failed; null if it succeeded, or there was none. */
  readonly fault: Fault | null;
  /** If the variables cannot be determined, the change has failed, too. */
  readonly save: (variables: Variables | Promise<Variables>) => void;
};

/**
 * Sends changes. `isMade` says whether an answer contains the thing that was to be changed.
 * `onSaved` also learns whether the form that sent them is still open, and the answer.
 */
export function useSaving<Data, Variables>(
  operation: Operation<Data, Variables>,
  session: Session,
  {
    isMade,
    onSaved,
  }: { isMade: (data: Data) => boolean; onSaved: (isOpen: boolean, data: Data) => void },
): Saving<Variables> {
  const [state, setState] = useState<Omit<Saving<Variables>, 'save'>>(IDLE);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const save = (variables: Variables | Promise<Variables>) => {
    if (state.isSaving) return;
    setState({ isSaving: true, fault: null });
    const asked = Promise.resolve(variables).then((known) => ask(operation, known, { session }));
    asked.then(
      ({ data, problems: [problem] }) => {
        const fault = problem ? faultOfProblem(problem) : isMade(data) ? null : GONE;
        setState({ isSaving: false, fault });
        if (!fault) onSaved(isOpen.current, data);
      },
      (error: unknown) => setState({ isSaving: false, fault: faultOf(error) }),
    );
  };
  return { ...state, save };
}

const IDLE = { isSaving: false, fault: null } as const;

const GONE: Fault = {
  kind: 'input',
  message: 'It no longer exists, or you no longer have access to it',
  retrySeconds: null,
  requestId: null,
};
