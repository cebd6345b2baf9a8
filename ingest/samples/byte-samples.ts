import { LIMITS } from '../../domain/limits.ts';
import { type Guid, parseGuid } from '../../domain/text/guid.ts';
import { isName } from '../../domain/text/storable-text.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import type { ReadingGatherer } from '../../segments/gather/reading-gatherer.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { ImportGroup } from '../import-group.ts';
import type { GatheredSegment, SegmentBatch } from '../segments/segment-batch.ts';
import type { TimeBounds } from '../time-bounds.ts';
import type { LineBytes } from './byte-lines.ts';
import { type ByteRange, SampleBytes } from './sample-bytes.ts';

type ByteSamplesOptions = {
  readonly groups: ReadonlyMap<Guid, ImportGroup>;
  /** The probe of samples that name none. */
  readonly probe: string | null;
  readonly bounds: TimeBounds;
};

/** Maximum number of texts of groups and probes that are cached; an import has few. */
const KNOWN_TEXTS = 1_000;

const BACKSLASH = 0x5c;

/** No key of any kind is longer. A longer one is left to `parseSampleLine`. */
const LONGEST_KEY = Math.max(LIMITS.textKeyBytes, LIMITS.crossKeyBytes);

/**
 * Returns a function that adds simple samples straight from the bytes of their lines, without
 * making a string of the key. For any other line it adds nothing and returns false:
 * `parseSampleLine` must say what that line means.
 */
export function createByteSamples({
  groups,
  probe,
  bounds,
}: ByteSamplesOptions): (batch: SegmentBatch, line: LineBytes) => boolean {
  const sample = new SampleBytes();
  const groupOf = rememberLast((text): ImportGroup | null => {
    const guid = parseGuid(text);
    return guid === null ? null : (groups.get(guid) ?? null);
  });
  const probeOf = rememberLast((text) => (isName(text) ? text : null));
  const meterIndexes: number[] = [];
  const addKey = keyAdder();
  return (batch, { bytes: line, from, to }) => {
    if (!sample.scan(line, from, to)) return false;
    const { ts, count } = sample;
    const group = groupOf(line, sample.group);
    if (group === null || ts < bounds.from || ts > bounds.to || count < 1) return false;
    const named = sample.probe.to === 0 ? null : probeOf(line, sample.probe);
    if (named === null && sample.probe.to > 0) return false;
    if (!findMeterIndexes(sample, group, meterIndexes)) return false;
    const bucket = floorTo(ts, group.bucketSeconds);
    const segment = batch.segmentOf(group, named ?? probe, bucket);
    const key = addKey(segment, line, sample);
    if (key === -1) return false;
    putValues(segment.readings, batch.addRow(segment, bucket, key), { sample, meterIndexes });
    return true;
  };
}

/**
 * Returns a lookup of what a text stands for; null if it is not ASCII, because other text may not
 * be UTF-8. Most texts are the same as the previous one, for which no new string is made.
 */
function rememberLast<Result>(
  lookUp: (text: string) => Result | null,
): (line: Uint8Array, range: ByteRange) => Result | null {
  const ofText = boundedCache(KNOWN_TEXTS, lookUp);
  let last = new Uint8Array(0);
  let result: Result | null = null;
  return (line, range) => {
    if (isSame(line, range, last)) return result;
    last = Uint8Array.from(line.subarray(range.from, range.to));
    result = last.every((byte) => byte < 0x80) ? ofText(Buffer.from(last).toString()) : null;
    return result;
  };
}

function isSame(line: Uint8Array, { from, to }: ByteRange, bytes: Uint8Array): boolean {
  const length = to - from;
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i += 1) if (line[from + i] !== bytes[i]) return false;
  return true;
}

/**
 * Returns a function that gives the index of a line's key among the keys gathered with it; −1 if it
 * is not a key.
 */
function keyAdder(): (segment: GatheredSegment, line: Uint8Array, sample: SampleBytes) => number {
  const plain = new Uint8Array(LONGEST_KEY);
  const compact = new Uint8Array(LONGEST_KEY);
  return ({ codec, readings }, line, { key, keyHasBackslash }) => {
    if (key.to - key.from > LONGEST_KEY) return -1;
    const length = keyHasBackslash
      ? codec.encodeAscii(plain, 0, withoutEscapes(line, key, plain), compact, 0)
      : codec.encodeAscii(line, key.from, key.to, compact, 0);
    return length <= 0 ? -1 : readings.keys.indexOf(compact, 0, length);
  };
}

/** Writes a text with a single backslash for each two, the only escape that a scanned line has. */
function withoutEscapes(line: Uint8Array, { from, to }: ByteRange, into: Uint8Array): number {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    into[length] = line[at] as number;
    length += 1;
    if (line[at] === BACKSLASH) at += 1;
  }
  return length;
}

/**
 * Finds the index of each value's meter. Returns false if a value is left to `parseSampleLine`.
 */
function findMeterIndexes(
  { meterCount, meterIds, values }: SampleBytes,
  { meters }: ImportGroup,
  meterIndexes: number[],
): boolean {
  for (let i = 0; i < meterCount; i += 1) {
    const meter = meters.get(meterIds[i] as number);
    if (!meter || meter.aggregate === null) return false;
    if ((values[i] as number) < 0 && isCounting(meter.aggregate)) return false;
    meterIndexes[i] = meter.meterIndex;
  }
  return true;
}

type MeterValues = { readonly sample: SampleBytes; readonly meterIndexes: readonly number[] };

function putValues(
  readings: ReadingGatherer,
  row: number,
  { sample: { meterCount, values, count }, meterIndexes }: MeterValues,
): void {
  for (let i = 0; i < meterCount; i += 1) {
    const meterIndex = meterIndexes[i] as number;
    readings.putValue(meterIndex, row, values[i] as number);
    if (count !== 1) readings.putCount(meterIndex, row, count);
  }
}
