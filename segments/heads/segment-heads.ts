import type { Column } from '../codes/column.ts';
import type { KeyList } from '../keys/key-list.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from '../span.ts';
import type { TileMeter } from '../tiles/tile.ts';
import type { TileReadings } from '../tiles/tile-readings.ts';
import { HOUR, tileOf } from '../tiles/tile-seconds.ts';
import {
  HEADS_FROM,
  HeadCollector,
  hasHead,
  SPAN_HEAD_KEYS,
  type StoredHead,
  TILE_HEAD_KEYS,
} from './head.ts';
import { type HeadSeries, SeriesCollector } from './head-series.ts';

/** By meter; null: the meter has no head. */
type Heads = readonly (StoredHead | null)[];

/** The heads of a segment, and the series of its largest keys (null: none). */
type FoundHeads = {
  readonly span: Heads;
  /** Of tiles with many keys, in time order. */
  readonly tiles: readonly { readonly start: number; readonly heads: Heads }[];
  readonly series: HeadSeries | null;
};

type HeadsOptions = {
  readonly shape: SegmentShape;
  readonly span: BucketSpan;
  readonly tileSeconds: number;
  readonly isRollUp: boolean;
};

/** A range of keys as it is added. totals: by key, one row each. */
type RangeTotals = {
  readonly keys: KeyList;
  readonly firstOrdinal: number;
  readonly byTopperBucket: Readings;
  readonly totals: readonly (Column | null)[];
};

type Collectors = readonly (HeadCollector | null)[];

/** Finds the heads of a segment while its ranges are written or checked, in their order. */
export class SegmentHeads {
  readonly #options: HeadsOptions;
  readonly #span: Collectors;
  readonly #tiles = new Map<number, Collectors>();
  readonly #series: SeriesCollector;
  #keyCount = 0;

  constructor(options: HeadsOptions) {
    this.#options = options;
    this.#span = this.#collectors(SPAN_HEAD_KEYS);
    this.#series = new SeriesCollector(options.shape, options.span);
  }

  addRange(range: RangeTotals): void {
    this.#keyCount += range.keys.count;
    if (this.#isOneBucket) return;
    for (const [meterIndex, head] of this.#span.entries()) {
      const column = range.totals[meterIndex];
      if (column) head?.add({ ...range, ordinals: null, column });
    }
    if (!this.#options.isRollUp) this.#series.add(range);
  }

  /** Adds a tile of a range. */
  addTile(
    { start, ordinals }: TileReadings,
    meters: readonly (TileMeter | null)[],
    range: Pick<RangeTotals, 'keys' | 'firstOrdinal'>,
  ): void {
    const { tileSeconds, isRollUp } = this.#options;
    if (this.#isOneTile || isRollUp || tileSeconds < HOUR) return;
    const heads = this.#tiles.get(start) ?? this.#collectors(TILE_HEAD_KEYS);
    this.#tiles.set(start, heads);
    for (const [meterIndex, head] of heads.entries()) {
      const meter = meters[meterIndex];
      if (meter) head?.add({ ...range, ordinals, column: meter.totals });
    }
  }

  /** Returns the heads; null: the segment has too few keys for any. */
  finish(): FoundHeads | null {
    if (this.#isOneBucket || this.#keyCount <= HEADS_FROM) return null;
    const finish = (heads: Collectors): Heads => heads.map((head) => head?.finish() ?? null);
    const tiles = [...this.#tiles]
      .filter(([, heads]) => heads.some((head) => head && head.keyCount > HEADS_FROM))
      .sort(([a], [b]) => a - b)
      .map(([start, heads]) => ({ start, heads: finish(heads) }));
    return { span: finish(this.#span), tiles, series: this.#series.finish() };
  }

  #collectors(limit: number): Collectors {
    return this.#options.shape.aggregates.map((aggregate) =>
      hasHead(aggregate) ? new HeadCollector(limit) : null,
    );
  }

  get #isOneBucket(): boolean {
    const { first, last } = this.#options.span;
    return first === last;
  }

  get #isOneTile(): boolean {
    const { span, tileSeconds } = this.#options;
    return tileOf(span.first, tileSeconds) === tileOf(span.last, tileSeconds);
  }
}
