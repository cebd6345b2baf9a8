import { DEFAULT_WINDOW } from '../address/window-choice.ts';
import type { ArchivedSlices } from '../data/shown-toppers.ts';
import { Notice } from '../parts/notice.tsx';
import type { ResultsProps } from './results-props.ts';

/** No key to list: because none passes the filter, or because there is nothing at that time. */
export function EmptyNotice({ shown, address, navigate, choice, moments }: ResultsProps) {
  const { window, total } = shown.table;
  const isFiltered = address.filter !== null || address.hidden.length > 0;
  const stored = choice?.totalWindow ?? null;
  const archived =
    shown.archived.length > 0 ? (
      <Archived context={address.context} slices={shown.archived} />
    ) : null;
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
      title={archived ? 'The data of this time are archived' : 'No readings in this window'}
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
          : !archived && 'Nothing is stored in this context yet.'}
      </p>
      {archived}
      {!stored && !archived && (
        <p>
          Bring some in:{' '}
          <code>countergraph import --context {address.context} --format zeek conn.log</code>
        </p>
      )}
    </Notice>
  );
}

type ArchivedProps = { readonly context: string | null; readonly slices: ArchivedSlices };

/** What is archived comes back by a command; one slice stands for all. */
function Archived({ context, slices }: ArchivedProps) {
  const [first] = slices;
  return (
    <>
      <p>
        {slices.length === 1 ? 'The slice of it is' : `The ${slices.length} slices of it are`}{' '}
        archived: listed in Storage, and in no answer until restored. Who runs the server brings{' '}
        {slices.length === 1 ? 'it' : 'each'} back:
      </p>
      <p>
        <code>
          countergraph slices restore --context {context} --slice {first?.name}
        </code>
      </p>
    </>
  );
}
