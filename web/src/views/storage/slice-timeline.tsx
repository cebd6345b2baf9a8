import type { Span } from '../../data/choices.ts';
import { toNumber } from '../../format/big-number.ts';
import { formatAmount, joined } from '../../format/quantity.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { ViewProps } from '../view-props.ts';
import { type SliceRow, STORED } from './slice-row.ts';

type TimelineProps = ViewProps & { readonly slices: readonly SliceRow[] };

const BYTES = { kind: 'bytes' } as const;

/** Slices at their times, with heights by size; engine instances below each other. */
export function SliceTimeline(props: TimelineProps) {
  const { slices, moments } = props;
  const from = Math.min(...slices.map(({ timeInterval }) => timeInterval.from));
  const to = Math.max(...slices.map(({ timeInterval }) => timeInterval.to));
  const largest = Math.max(1, ...slices.map(({ diskSize }) => toNumber(diskSize ?? 0)));
  const engines = [...new Set(slices.map(({ engine }) => engine))].sort((a, b) => a - b);
  return (
    <div class="timeline">
      {engines.map((engine) => (
        <div key={engine} class="timeline-row">
          {engines.length > 1 && <p class="timeline-engine">Engine {engine}</p>}
          <ul class="timeline-track" aria-label={`Slices of engine ${engine} over time`}>
            {slices
              .filter((slice) => slice.engine === engine)
              .map((slice) => (
                <SliceBar key={slice.id} {...props} slice={slice} span={{ from, to, largest }} />
              ))}
          </ul>
        </div>
      ))}
      <div class="timeline-ends">
        <span>{moments.full(from)}</span>
        <span>{moments.full(to)}</span>
      </div>
      <ul class="legend" aria-label="Status">
        {[...new Set(slices.map(({ status }) => status))].map((status) => (
          <li key={status}>
            <span class={`status is-${status}`}>{status}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

type SliceBarProps = TimelineProps & {
  readonly slice: SliceRow;
  readonly span: Span & { readonly largest: number };
};

function SliceBar({ slice, span, navigate, moments, ...rest }: SliceBarProps) {
  const { from, to } = slice.timeInterval;
  const whole = span.to - span.from;
  const percent = (part: number) => `${(part * 100).toFixed(3)}%`;
  const size = slice.diskSize === null ? null : toNumber(slice.diskSize);
  const target = {
    ...({ view: 'top', key: null } as const),
    window: { kind: 'interval', from, to } as const,
  };
  const description = [
    slice.name,
    slice.status,
    size === null ? 'size unknown' : joined(formatAmount(size, BYTES, STORED(rest))),
    moments.range(from, to),
  ].join(', ');
  const style = {
    left: percent((from - span.from) / whole),
    width: percent((to - from) / whole),
  };
  const bar = (
    <span
      class={`slice is-${slice.status}`}
      style={{ height: percent(0.12 + 0.88 * ((size ?? 0) / span.largest)) }}
    />
  );
  return (
    <li style={style}>
      {slice.available ? (
        <a
          href={navigate.link(target)}
          title={`${description}. Show its top keys`}
          aria-label={`${description}. Show its top keys`}
          onClick={onPlainClick(() => navigate.go(target))}
        >
          {bar}
        </a>
      ) : (
        <span class="slice-place" role="img" title={description} aria-label={description}>
          {bar}
        </span>
      )}
    </li>
  );
}
