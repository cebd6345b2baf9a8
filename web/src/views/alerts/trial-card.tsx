import { useState } from 'preact/hooks';
import { keylessText, valueText } from '../../data/alerts/alert-words.ts';
import type { EventRule } from '../../data/alerts/firing.ts';
import {
  drawnAt,
  type Trial,
  type TriedKey,
  trialSentence,
  triedKeys,
} from '../../data/alerts/trial.ts';
import { groupOf, type Span } from '../../data/choices.ts';
import { readableBeside, shownLabel } from '../../data/key-parts.ts';
import { counted } from '../../format/counted.ts';
import { longDuration } from '../../format/moment.ts';
import { urgencyOf } from '../../format/severity.ts';
import { Choice } from '../../parts/choice.tsx';
import type { ViewProps } from '../view-props.ts';

type TrialCardProps = ViewProps & {
  readonly said: EventRule;
  /** null: not tested yet. */
  readonly trial: Trial | null;
  /** Whether the rule has been changed since. */
  readonly isOutdated: boolean;
  readonly isTesting: boolean;
  readonly onTest: (days: number) => void;
};

const SPANS = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last week' },
  { value: '30', label: 'the last month' },
];

/** Tests a rule on stored data before anybody is told of it. */
export function TrialCard(props: TrialCardProps) {
  const { said, trial, isOutdated, isTesting, onTest, moments } = props;
  const [days, setDays] = useState('30');
  const isSilence = said.comparison === 'SILENT_SECONDS';
  return (
    <section class="card trial" aria-label="Test" aria-busy={isTesting}>
      <div class="card-head">
        <h2>Test</h2>
        {!isSilence && (
          <>
            <Choice
              label="On data of"
              class="is-inline"
              value={days}
              options={SPANS}
              onChoose={setDays}
            />
            <button
              type="button"
              class="button"
              aria-disabled={isTesting}
              onClick={() => onTest(Number(days))}
            >
              {isTesting ? 'Testing …' : 'Test'}
            </button>
          </>
        )}
      </div>
      <p class="card-text" role="status">
        {isSilence
          ? 'A rule about silence follows the clock, so that stored data do not show when it would have fired.'
          : trial
            ? trialSentence(trial, moments)
            : 'Shows when the rule would have fired. Nothing is saved, and nobody is told.'}
        {trial && isOutdated && !isTesting && (
          <strong class="trial-note">You have changed the rule since: test it again.</strong>
        )}
      </p>
      {trial?.window && trial.events.length > 0 && (
        <Drawn {...props} trial={trial} window={trial.window} />
      )}
    </section>
  );
}

/** How many keys are drawn: those that would have fired for longest. */
const MOST = 20;

type DrawnProps = TrialCardProps & { readonly trial: Trial; readonly window: Span };

function Drawn(props: DrawnProps) {
  const { trial, window, moments, isOutdated } = props;
  const keys = triedKeys(trial);
  return (
    <div class={isOutdated ? 'is-stale' : ''}>
      <ul class="trial-keys">
        {keys.slice(0, MOST).map((each) => (
          <DrawnKey key={each.key?.key ?? ''} {...props} tried={each} />
        ))}
      </ul>
      <p class="timeline-ends trial-ends" aria-hidden="true">
        <span>{moments.full(window.from)}</span>
        <span>{moments.full(window.to)}</span>
      </p>
      {keys.length > MOST && (
        <p class="card-text hint">
          and {counted(keys.length - MOST, 'key')} more, each for a shorter time
        </p>
      )}
      {trial.fired > trial.events.length && (
        <p class="card-text hint">Only {trial.events.length} of the events are shown.</p>
      )}
    </div>
  );
}

function DrawnKey(props: DrawnProps & { readonly tried: TriedKey }) {
  const { tried, window, said, choice, address } = props;
  const { key, events, seconds, worst } = tried;
  const group = groupOf(choice, said.counterGroup.guid) ?? { crosskey: null };
  const readable = key && readableBeside(key, group);
  const peak = valueText(worst.peakValue, { alert: said }, address.units);
  return (
    <li>
      <p class="trial-key">
        <strong>
          <bdi>{key ? shownLabel(key, group) : keylessText(said)}</bdi>
        </strong>{' '}
        {readable !== null && <span class="readable">{readable}</span>}
        <span class="hint">
          {counted(events.length, 'time')}, {longDuration(seconds) || '0 seconds'} in all, peak{' '}
          {peak}
        </span>
      </p>
      <div class="trial-track" aria-hidden="true">
        {events.map((event) => {
          const { left, width } = drawnAt(event, window);
          return (
            <span
              key={event.startedAt}
              class={`trial-event is-${urgencyOf(said.severity)}`}
              style={{ left: `${left}%`, width: `${width}%` }}
            />
          );
        })}
      </div>
    </li>
  );
}
