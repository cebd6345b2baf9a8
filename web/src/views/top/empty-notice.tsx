import { BY_METRIC, type ChangeRanking, comparesWindows } from '../../address/ranking.ts';
import { DEFAULT_WINDOW } from '../../address/window-choice.ts';
import { earlierGap } from '../../data/earlier.ts';
import { CHANGE_WORDS, valueName } from '../../data/ranking-words.ts';
import type { ArchivedSlices } from '../../data/shown-toppers.ts';
import { Command } from '../../parts/command.tsx';
import { Notice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { ResultsProps } from './results-props.ts';

/** Shown when no key is listed: none passes the filter, or there are no readings at that time. */
export function EmptyNotice(props: ResultsProps) {
  const { shown, address } = props;
  const isFiltered = address.filters.length > 0 || address.hidden.length > 0;
  if (comparesWindows(shown.ranking) && hasReadingsThen(shown)) {
    return <NoneHasChanged {...props} by={shown.ranking.by} isFiltered={isFiltered} />;
  }
  return isFiltered && BigInt(shown.table.total) !== 0n ? (
    <NothingPasses {...props} />
  ) : (
    <NothingThen {...props} />
  );
}

/** Returns whether the group has data in the window. */
const hasReadingsThen = ({ stored, table: { window } }: ResultsProps['shown']): boolean =>
  stored !== null && stored.from < window.to && stored.to > window.from;

type NoneHasChangedProps = ResultsProps & {
  readonly by: ChangeRanking;
  readonly isFiltered: boolean;
};

/** There are keys, but the ranking lists none of them. */
function NoneHasChanged({ by, isFiltered, shown, moments, navigate }: NoneHasChangedProps) {
  const { noKey, none } = CHANGE_WORDS[by];
  const { from, to } = shown.earlier;
  const gap = earlierGap(shown);
  return (
    <Notice
      isView
      title={gap?.isWhole ? 'Nothing is stored for the earlier window' : noKey}
      actions={
        <>
          <button
            type="button"
            class="button is-primary"
            onClick={() => navigate.go({ ranking: BY_METRIC })}
          >
            Rank by {valueName(shown.meter).toLowerCase()}
          </button>
          {isFiltered && (
            <button
              type="button"
              class="button"
              onClick={() => navigate.go({ filters: [], hidden: [] })}
            >
              Clear the filter
            </button>
          )}
        </>
      }
    >
      <p>
        No key of <bdi>{shown.group.name}</bdi>
        {isFiltered && ' that passes the filter'} {none(moments.range(from, to))}, by{' '}
        <bdi>{shown.meter.name}</bdi>.{gap && ` ${gap.text}`}
      </p>
    </Notice>
  );
}

function NothingPasses({ shown, navigate }: ResultsProps) {
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
        <bdi>{shown.group.name}</bdi> has readings in this window, but no key passes the filter.
      </p>
    </Notice>
  );
}

/** Says when there are readings: of this group, and of this probe if one is chosen. */
function NothingThen(props: ResultsProps) {
  const { shown, address, choice, moments } = props;
  const { window } = shown.table;
  const isArchived = shown.archived.length > 0;
  const isNewContext = !isArchived && !shown.stored && !choice?.totalWindow;
  return (
    <Notice
      isView
      title={isArchived ? 'The data for this time is archived' : 'No readings in this window'}
      actions={waysOut(props)}
    >
      <p>
        <bdi>{shown.group.name}</bdi> has no readings of <bdi>{shown.meter.name}</bdi>
        {address.probe && ` from the probe ${address.probe}`} for{' '}
        {moments.range(window.from, window.to)}. <WhenThereAre {...props} />
      </p>
      {isArchived && <Archived context={address.context} slices={shown.archived} />}
      {isNewContext && (
        <p>
          Import data with{' '}
          <Command>import --context {address.context} --format zeek conn.log</Command>
        </p>
      )}
    </Notice>
  );
}

function WhenThereAre({ shown, address, navigate, choice, moments }: ResultsProps) {
  const { stored } = shown;
  if (stored) {
    const whole = { window: { kind: 'interval', from: stored.from, to: stored.to } } as const;
    return (
      <>
        Data is available{' '}
        <a href={navigate.link(whole)} onClick={onPlainClick(() => navigate.go(whole))}>
          from {moments.full(stored.from)} to {moments.full(stored.to)}
        </a>
        .
      </>
    );
  }
  if (shown.archived.length > 0) return null;
  if (!choice?.totalWindow) return <>Nothing is stored in this context yet.</>;
  return (
    <>{address.probe ? 'The probe has never sent any.' : 'Nothing is stored for this group.'}</>
  );
}

function waysOut({ shown, address, navigate }: ResultsProps) {
  if (shown.stored) {
    return (
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
    );
  }
  if (address.probe === null) return null;
  return (
    <button type="button" class="button is-primary" onClick={() => navigate.go({ probe: null })}>
      Show all probes
    </button>
  );
}

type ArchivedProps = { readonly context: string | null; readonly slices: ArchivedSlices };

/** Says which command restores archived data; the first slice stands for all. */
function Archived({ context, slices }: ArchivedProps) {
  const [first] = slices;
  return (
    <>
      <p>
        {slices.length === 1
          ? 'The slice with this data is'
          : `The ${slices.length} slices with this data are`}{' '}
        archived: listed in Storage, but left out of all answers until restored. The server's
        operator restores {slices.length === 1 ? 'it' : 'each'} with:
      </p>
      <p>
        <Command>
          slices restore --context {context} --slice {first?.name}
        </Command>
      </p>
    </>
  );
}
