import { DEFAULT_WINDOW } from '../address/window-choice.ts';
import { Notice } from '../parts/notice.tsx';
import type { ResultsProps } from './results-props.ts';

/** No key to list: because none passes the filter, or because there is nothing at that time. */
export function EmptyNotice({ shown, address, navigate, choice, moments }: ResultsProps) {
  const { window, total } = shown.table;
  const isFiltered = address.filter !== null || address.hidden.length > 0;
  const stored = choice?.totalWindow ?? null;
  if (isFiltered && BigInt(total) !== 0n) {
    return (
      <Notice
        title="No key passes the filter"
        actions={
          <button
            type="button"
            class="button is-primary"
            onClick={() => navigate.go({ filter: null, hidden: [] })}
          >
            Clear the filter
          </button>
        }
      >
        <p>
          There are readings of {shown.group.name} in this window, but none of a key that the filter
          lets through.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      title="No readings in this window"
      actions={
        stored && (
          <>
            <button
              type="button"
              class="button is-primary"
              onClick={() => navigate.go({ window: DEFAULT_WINDOW })}
            >
              Show the newest data
            </button>
            <button
              type="button"
              class="button"
              onClick={() => navigate.go({ window: { kind: 'named', name: 'all' } })}
            >
              Show everything
            </button>
          </>
        )
      }
    >
      <p>
        {shown.group.name} has none by {shown.meter.name} for{' '}
        {moments.range(window.from, window.to)}.{' '}
        {stored
          ? `There are data from ${moments.full(stored.from)} to ${moments.full(stored.to)}.`
          : 'Nothing is stored in this context yet.'}
      </p>
      {!stored && (
        <p>
          Bring some in:{' '}
          <code>countergraph import --context {address.context} --format zeek conn.log</code>
        </p>
      )}
    </Notice>
  );
}
