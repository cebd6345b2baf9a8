import { toNumber } from '../../format/big-number.ts';
import { Notice } from '../../parts/notice.tsx';
import type { TrendProps } from './trend-props.ts';

/** Shown when no step lists a key. */
export function EmptyTrend({ shown, address, navigate, moments }: TrendProps) {
  const { group, meter, steps, stored, window } = shown;
  const isFiltered = address.filters.length > 0 || address.hidden.length > 0;
  const isFilteredOut = isFiltered && steps.some(({ total }) => toNumber(total) !== 0);
  if (isFilteredOut) {
    return (
      <Notice
        isView
        title="No key passes the filter"
        actions={
          <button
            type="button"
            class="button is-primary"
            onClick={() => navigate.go({ filters: [], hidden: [] })}
          >
            Clear the filter
          </button>
        }
      >
        <p>
          <bdi>{group.name}</bdi> has readings in this window, but no key passes the filter.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      isView
      title="No readings in this window"
      actions={
        stored && (
          <button
            type="button"
            class="button is-primary"
            onClick={() => navigate.go({ window: { kind: 'named', name: 'all' }, step: null })}
          >
            Show everything
          </button>
        )
      }
    >
      <p>
        <bdi>{group.name}</bdi> has no readings of <bdi>{meter.name}</bdi>
        {address.probe && ` from the probe ${address.probe}`} for{' '}
        {moments.range(window.from, window.to)}.
        {stored &&
          ` Data is available from ${moments.full(stored.from)} to ${moments.full(stored.to)}.`}
      </p>
    </Notice>
  );
}
