import { useEffect } from 'preact/hooks';
import type { Fault } from '../api/fault.ts';
import type { ContextChoice, SubjectSpan } from '../data/choices.ts';
import { SIGNED_OUT, type ViewProps } from './view-props.ts';

type Outcome = {
  readonly data: {
    readonly viewer: { readonly contexts: readonly { readonly name: string }[] };
    readonly context: ContextChoice | null;
  } | null;
  readonly fault: Fault | null;
};

/**
 * Passes on what a view's answer means for the page: the current choices, the time for which its
 * subject has data, or no access.
 */
export function useOutcome(
  { data, fault }: Outcome,
  { onChoice, onSignOut }: ViewProps,
  learned: SubjectSpan | null = null,
): void {
  useEffect(() => {
    if (!data) return;
    const names = data.viewer.contexts.map(({ name }) => name);
    onChoice(names, data.context, learned);
  }, [data]);
  useEffect(() => {
    if (fault?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [fault]);
}
