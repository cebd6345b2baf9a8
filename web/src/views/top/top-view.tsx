import { useMemo, useState } from 'preact/hooks';
import {
  TopKeys,
  TopKeysWithout,
  type TopKeysWithoutQueryVariables,
} from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import type { Operation } from '../../api/operation.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { mayEdit } from '../../data/edits/may-edit.ts';
import { patienceMs } from '../../data/live-top.ts';
import { itemsOf, topVariables } from '../../data/questions.ts';
import { explainRefusal } from '../../data/refusal.ts';
import { type ShownToppers, shownToppers, type TopAnswer } from '../../data/shown-toppers.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { useRefreshedBy } from '../alerts/use-alerts.ts';
import { useWatched } from '../alerts/use-watched.ts';
import { Controls } from '../controls/controls.tsx';
import { KeyPanel } from '../key/key-panel.tsx';
import { NoAnswerNotice } from '../no-answer-notice.tsx';
import { useOutcome } from '../use-outcome.ts';
import type { ViewProps } from '../view-props.ts';
import { LiveNoteBar } from './live-note.tsx';
import { TopResults } from './top-results.tsx';
import { TopSkeleton } from './top-skeleton.tsx';
import { useLiveTop } from './use-live-top.ts';

/** Shows the largest keys of a group by a meter: the dashboard's main view. */
export function TopView(props: ViewProps) {
  const { address, session, choice, moments } = props;
  const question = variablesFor(props);
  const asked = useAnswer(operationFor(address.hidden), question, session);
  const { data, variables, problems, fault, isLoading } = asked;
  const [reloads, setReloads] = useState(0);
  const onReload = () => {
    asked.reload();
    setReloads((count) => count + 1);
  };
  const live = useLiveTop(props, asked, question);
  useRefreshedBy(isLoading, props.alerts);
  const watched = useWatched(props);
  const shown = useMemo(() => shownToppers(data, variables, problems), [data, variables, problems]);
  const [problem] = problems;
  useOutcome(asked, props, shown && { subject: shown.asked, span: shown.stored });
  // A fault has its own notice; what was shown before belongs to another question.
  const status = statusOf(isLoading, fault ? null : shown, itemsOf(address));
  return (
    <div class={address.key ? 'with-panel' : ''}>
      <div class="view" aria-busy={isLoading}>
        <Controls
          {...props}
          shown={shown}
          isLoading={isLoading}
          stream={live.stream}
          refusal={explainRefusal(problem?.message ?? '', address)}
          onReload={onReload}
        />
        <p class="sr-only" role="status">
          {status}
        </p>
        <div class={`results ${isLoading && shown ? 'is-stale' : ''}`}>
          {fault ? (
            <FaultNotice isView fault={fault} onRetry={onReload} />
          ) : shown ? (
            <TopResults {...props} shown={shown} watched={watched} onReload={onReload} />
          ) : isLoading && !problem ? (
            <TopSkeleton rows={itemsOf(address)} />
          ) : (
            <NoAnswerNotice
              {...props}
              answer={data}
              fault={problem ? faultOfProblem(problem) : null}
              onReload={onReload}
            />
          )}
        </div>
      </div>
      {address.live && (
        <LiveNoteBar
          course={{ ...live, patienceMs: patienceMs(shown?.group ?? null) }}
          newest={shown?.stored ? moments.full(shown.stored.to) : null}
        />
      )}
      {address.key && choice && (
        <KeyPanel
          key={address.key}
          {...props}
          choice={choice}
          rawKey={address.key}
          watched={watched}
          liveCount={live.count}
          reloads={reloads}
          mayEdit={mayEdit(data, address)}
          onEdited={asked.refresh}
          shown={shown}
        />
      )}
    </div>
  );
}

/** Hidden keys are requested separately, to subtract them from the stack. */
const operationFor = (
  hidden: readonly string[],
): Operation<TopAnswer, TopKeysWithoutQueryVariables> =>
  hidden.length > 0 ? TopKeysWithout : TopKeys;

function variablesFor({ address, choice }: ViewProps): TopKeysWithoutQueryVariables {
  const { hidden } = address;
  const variables = topVariables(address, choice);
  // Variables that a document does not declare are ignored.
  return { ...variables, hidden, hiddenItems: Math.max(1, hidden.length) };
}

function statusOf(isLoading: boolean, shown: ShownToppers | null, items: number): string {
  if (isLoading) return 'Loading …';
  if (!shown) return '';
  const { keys, keyCount } = shown.table;
  return `${keys.length} of ${keyCount} keys of ${shown.group.name} are shown, at most ${items}.`;
}
