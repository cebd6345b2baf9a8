import { allDigits, sum } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import { formatAmount } from '../../format/quantity.ts';
import { Command } from '../../parts/command.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useShortTable } from '../../parts/short-table.tsx';
import { Term } from '../../parts/term.tsx';
import type { ViewProps } from '../view-props.ts';
import { type SliceRow, STORED } from './slice-row.ts';
import { SliceTagsCell } from './slice-tags-cell.tsx';
import { SliceTimeline } from './slice-timeline.tsx';

export type SliceListProps = ViewProps & { readonly slices: readonly SliceRow[] | null };

const BYTES = { kind: 'bytes' } as const;

/** The slices on a time line. */
export function SliceList(props: SliceListProps) {
  const { slices, address } = props;
  if (slices === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-timeline" />
        <span class="bone is-list" />
      </div>
    );
  }
  if (slices.length === 0) {
    return (
      <Notice title="No slices yet">
        <p>
          The first import creates a slice:{' '}
          <Command>import --context {address.context} --format zeek conn.log</Command>
        </p>
      </Notice>
    );
  }
  const total = sum(slices.map(({ diskSize }) => diskSize ?? 0));
  return (
    <section class="card" aria-label="Slices">
      <div class="card-head">
        <h2>
          <Term word="slice">Slices</Term>
          <span>
            {' '}
            · {slices.length}, <Figure quantity={formatAmount(total, BYTES, STORED(props))} /> in
            total
          </span>
        </h2>
      </div>
      <SliceTimeline {...props} slices={slices} />
    </section>
  );
}

type SliceTableProps = SliceListProps & {
  /** Called after tags were changed; null if the viewer may not change them. */
  readonly onEdited: (() => void) | null;
};

/** The slices with their figures, newest first. */
export function SliceTable(props: SliceTableProps) {
  const { slices, moments } = props;
  const { shortClass, showAll } = useShortTable(slices?.length ?? 0);
  if (slices === null || slices.length === 0) return null;
  return (
    <section class="card table-card" aria-label="Slices as a table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it. */}
      <div class="table-scroll" tabIndex={0}>
        <table class={`plain-table ${shortClass}`}>
          <thead>
            <tr>
              <th scope="col">Slice</th>
              <th scope="col">From</th>
              <th scope="col">Duration</th>
              <th scope="col">Status</th>
              <th scope="col" class="is-number">
                Size
              </th>
              <th scope="col" class="is-number">
                Engine
              </th>
              <th scope="col">Tags</th>
              <th scope="col">Path</th>
            </tr>
          </thead>
          <tbody>
            {[...slices].reverse().map((slice) => (
              <tr key={slice.id}>
                <th scope="row">{slice.name}</th>
                <td data-name="From">{moments.full(slice.timeInterval.from)}</td>
                <td data-name="Duration">
                  {longDuration(slice.timeInterval.to - slice.timeInterval.from)}
                </td>
                <td data-name="Status">
                  <span class={`status is-${slice.status}`}>{slice.status}</span>
                </td>
                <td class="is-number" data-name="Size">
                  <Figure
                    quantity={
                      slice.diskSize === null
                        ? null
                        : formatAmount(slice.diskSize, BYTES, STORED(props))
                    }
                    title={slice.diskSize === null ? '' : `${allDigits(slice.diskSize)} bytes`}
                  />
                </td>
                <td class="is-number" data-name="Engine">
                  {slice.engine}
                </td>
                <td class="is-tags" data-name="Tags">
                  <SliceTagsCell {...props} slice={slice} />
                </td>
                <td class="is-path" data-name="Path">
                  {slice.path ?? '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {showAll}
    </section>
  );
}
