import { useEffect, useMemo } from 'preact/hooks';
import { LiveOverview, Overview, OverviewCards } from '../../../generated/operations.ts';
import { movesOn } from '../../address/window-choice.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { patienceMs } from '../../data/live-top.ts';
import { cardsVariables, overviewVariables } from '../../data/overview/overview-question.ts';
import { shownOverview } from '../../data/overview/shown-overview.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { useRefreshedBy, useRepeated } from '../alerts/use-alerts.ts';
import { ProbeChoice } from '../controls/subject-choices.tsx';
import { WindowControls } from '../controls/window-controls.tsx';
import { NoAnswerNotice } from '../no-answer-notice.tsx';
import { LiveNoteBar } from '../top/live-note.tsx';
import { useLive } from '../use-live.ts';
import { useOutcome } from '../use-outcome.ts';
import type { ViewProps } from '../view-props.ts';
import { OverviewResults } from './overview-results.tsx';
import { OverviewSkeleton } from './overview-skeleton.tsx';

/** How often a view that is not live asks again, if its window moves. */
const EVERY_MS = 60_000;

/** The first view of a context: how much traffic there is, whose, and whether all is well. */
export function OverviewView(props: ViewProps) {
  const { address, session, choice, moments, alerts } = props;
  const question = overviewVariables(address, choice);
  const asked = useAnswer(Overview, question, session);
  const { data, variables, problems } = asked;
  // Their lines take much longer: asked for at once, they would delay the traffic.
  const largest = asked.isLoading ? null : cardsVariables(address, choice);
  const cards = useAnswer(OverviewCards, largest, session);
  const isLoading = asked.isLoading || cards.isLoading;
  const { reload } = asked;
  const { fromDr, ...streamed } = question;
  const node = fromDr ? (data?.context?.nodeName ?? null) : address.node;
  const live = useLive(props, {
    asked,
    operation: LiveOverview,
    variables: { ...streamed, node },
    withContext: ({ viewer }, context) => ({ viewer, context }),
    askedOf: (each) => ({ ...each, fromDr }),
    markOf: ({ context }) => String(context?.totalWindow?.to),
  });
  useRepeated(() => {
    if (address.live || !movesOn(address.window)) return;
    asked.refresh();
    cards.refresh();
  }, EVERY_MS);
  useEffect(() => {
    if (live.count > 0) cards.refresh();
  }, [live.count]);
  useRefreshedBy(isLoading, alerts);
  useOutcome(asked, props);
  const shown = useMemo(
    () => shownOverview(asked, cards),
    [data, variables, problems, cards.data, cards.variables, cards.problems],
  );
  const problem = problems[0] ?? cards.problems[0];
  const fault = asked.fault ?? (shown ? null : cards.fault);
  return (
    <div class="view" aria-busy={isLoading}>
      <fieldset class="controls" aria-label="What is shown">
        <WindowControls
          {...props}
          span={shown?.window ?? null}
          isLoading={isLoading}
          stream={live.stream}
          onReload={reload}
        />
        <ProbeChoice {...props} />
      </fieldset>
      <p class="sr-only" role="status">
        {isLoading ? 'Loading …' : shown && !fault ? 'The overview is shown.' : ''}
      </p>
      <div class={`results ${asked.isLoading && shown ? 'is-stale' : ''}`}>
        {fault ? (
          <FaultNotice isView fault={fault} onRetry={reload} />
        ) : shown ? (
          <OverviewResults
            {...props}
            shown={shown}
            cardsFault={cards.fault}
            areCardsStale={cards.isLoading && !asked.isLoading}
            onReload={reload}
          />
        ) : isLoading && (!problem || !cards.data) ? (
          <OverviewSkeleton />
        ) : (
          <NoAnswerNotice
            {...props}
            answer={data}
            fault={problem ? faultOfProblem(problem) : null}
            onReload={reload}
          />
        )}
      </div>
      {address.live && (
        <LiveNoteBar
          course={{ ...live, patienceMs: patienceMs(shown?.traffic?.subject.group ?? null) }}
          newest={shown?.stored ? moments.full(shown.stored.to) : null}
        />
      )}
    </div>
  );
}
