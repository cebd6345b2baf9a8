import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { meterOf } from '../../data/choices.ts';
import { readableBeside, shownLabel } from '../../data/key-parts.ts';
import { meterKind } from '../../data/meter-kind.ts';
import { inNetworks } from '../../data/networks.ts';
import type { Terms } from '../../data/row-figures.ts';
import { keyQuestion, type ShownKey, shownKey } from '../../data/shown-key.ts';
import { measureOf } from '../../format/quantity.ts';
import { useEscape } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { FaultNotice } from '../../parts/notice.tsx';
import { SIGNED_OUT } from '../view-props.ts';
import { KeyDetails } from './key-details.tsx';
import type { KeyPanelProps } from './key-props.ts';

/** Everything known about one key, next to the table. */
export function KeyPanel(props: KeyPanelProps) {
  const { address, choice, session, rawKey, liveCount, reloads, onSignOut } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const { operation, variables } = keyQuestion(address, choice, rawKey);
  const asked = useAnswer(operation, variables, session);
  const { data, problems, fault, isLoading, reload, refresh } = asked;
  const close = useClosing(props);
  const onEdited = () => {
    refresh();
    props.onEdited();
  };
  useEffect(() => {
    if (liveCount > 1) refresh();
  }, [liveCount]);
  const reloadsBefore = useRef(reloads);
  useEffect(() => {
    if (reloads > reloadsBefore.current) reload();
    reloadsBefore.current = reloads;
  }, [reloads]);
  useEffect(() => {
    if (fault?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [fault]);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const shown = useMemo(
    () => shownKey(data, { rawKey, variables: asked.variables, problems }),
    [data, problems],
  );
  const terms = termsOf(props);
  const [problem] = problems;
  const broken = fault ?? (shown ? shown.faults.figures : problem && faultOfProblem(problem));
  const title = titleOf(shown?.known ?? null, props);
  return (
    <aside class="panel" aria-labelledby="panel-title" aria-busy={isLoading}>
      <div class="panel-head">
        <div>
          <p class="panel-kind">{kindOf(props)}</p>
          <h2 id="panel-title" ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <p class="readable">{besideTitle(shown?.known ?? null, props)}</p>
        </div>
        <IconButton icon="close" name="Close this key" onClick={close} />
      </div>
      <div class={`panel-body ${isLoading && shown ? 'is-stale' : ''}`}>
        {broken ? (
          <FaultNotice fault={broken} onRetry={reload} />
        ) : shown && terms ? (
          <KeyDetails
            {...props}
            shownKey={shown}
            terms={terms}
            onEdited={onEdited}
            onReload={reload}
          />
        ) : (
          <PanelSkeleton />
        )}
      </div>
    </aside>
  );
}

type Known = ShownKey['known'];

const titleOf = (known: Known, { group, rawKey }: KeyPanelProps): string =>
  known && group ? shownLabel(known, group) : rawKey;

/** Returns the group; for networks, their lengths too. */
const kindOf = ({ group, address }: KeyPanelProps): string =>
  [group?.name ?? 'Key', inNetworks(address.prefix, group)].filter(Boolean).join(', ');

/** Returns nothing if it repeats the title; a space keeps its line. */
const besideTitle = (known: Known, { group }: KeyPanelProps): string =>
  (known && group && readableBeside(known, group)) ?? '\u00a0';

/**
 * Closes the panel by its button, or by Escape from anywhere; the focus returns to the key's row, if
 * there is one.
 */
function useClosing({ navigate, rawKey }: KeyPanelProps): () => void {
  const close = () => {
    navigate.go({ key: null });
    document.querySelector<HTMLElement>(`[data-key="${CSS.escape(rawKey)}"]`)?.focus();
  };
  useEscape(close, rawKey);
  return close;
}

function termsOf({ group, address }: KeyPanelProps): Terms | null {
  const meter = meterOf(group, address.meter);
  if (!group || !meter) return null;
  return {
    kind: meterKind(meter.type),
    measure: measureOf(meter.units),
    units: address.units,
    topperBucketSize: group.topperBucketSize,
  };
}

function PanelSkeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      <span class="bone is-figures" />
      <span class="bone is-panel-chart" />
      <span class="bone is-list" />
    </div>
  );
}
