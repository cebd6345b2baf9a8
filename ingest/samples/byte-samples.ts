import { type Guid, parseGuid } from '../../domain/guid.ts';
import { floorTo } from '../../domain/interval.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isCounting } from '../../domain/meter-type.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { ImportGroup } from '../import-group.ts';
import type { GatheredPlace, SegmentBatch } from '../segments/segment-batch.ts';
import { isName } from '../storable-text.ts';
import type { TimeBounds } from '../time-bounds.ts';
import type { LineBytes } from './byte-lines.ts';
import { type ByteRange, SampleBytes } from './sample-bytes.ts';

export type ByteSamplesOptions = {
  readonly groups: ReadonlyMap<Guid, ImportGroup>;
  /** The probe of samples that name none. */
  readonly probe: string | null;
  readonly bounds: TimeBounds;
};

/** Texts of groups and probes that are remembered: an import has few. */
const KNOWN_TEXTS = 1_000;

const BACKSLASH = 0x5c;

/** No key of any kind is longer, and a longer one is left to the rules. */
const LONGEST_KEY = Math.max(LIMITS.textKeyBytes, LIMITS.crossKeyBytes);

/**
 * Adds the samples that can be added without a look at the rules, from the bytes of their lines: no
 * string is made of a key. The result tells of any other line that nothing of it was added, and
 * that `parseSampleLine` is to say what it means.
 */
export function createByteSamples({
  groups,
  probe,
  bounds,
}: ByteSamplesOptions): (batch: SegmentBatch, line: LineBytes) => boolean {
  const sample = new SampleBytes();
  const groupOf = boundedCache(KNOWN_TEXTS, (text: string): ImportGroup | null => {
    const guid = parseGuid(text);
    return guid === null ? null : (groups.get(guid) ?? null);
  });
  const groupText = lastText();
  const probeText = lastText();
  const isProbe = boundedCache(KNOWN_TEXTS, isName);
  const addKey = keyAdder();
  return (batch, { bytes: line, from, to }) => {
    if (!sample.scan(line, from, to)) return false;
    const { ts, count } = sample;
    const group = groupOf(groupText(line, sample.group));
    if (group === null || ts < bounds.from || ts > bounds.to || count < 1) return false;
    if (sample.probe !== null && !isAscii(line, sample.probe)) return false;
    const named = sample.probe === null ? null : probeText(line, sample.probe);
    if (named !== null && !isProbe(named)) return false;
    if (!areValues(sample, group)) return false;
    const bucket = floorTo(ts, group.bucketSeconds);
    const place = batch.placeOf(group, named ?? probe, bucket);
    const key = addKey(place, line, sample);
    if (key === -1) return false;
    putValues(place, batch.addRow(place, bucket, key), sample);
    return true;
  };
}

/** The text of a range; most are the same as the one before, of which no new string is made. */
function lastText(): (line: Uint8Array, range: ByteRange) => string {
  let bytes = new Uint8Array(0);
  let text = '';
  return (line, { from, to }) => {
    if (isSame(line.subarray(from, to), bytes)) return text;
    bytes = line.slice(from, to);
    text = Buffer.from(bytes).toString();
    return text;
  };
}

/** Other text may not be UTF-8, which only those who read it as such can tell. */
function isAscii(line: Uint8Array, { from, to }: ByteRange): boolean {
  for (let at = from; at < to; at += 1) if ((line[at] as number) > 0x7f) return false;
  return true;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < b.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Gives the index of a line's key among those of its place; −1 where it is none. */
function keyAdder(): (place: GatheredPlace, line: Uint8Array, sample: SampleBytes) => number {
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

/** Writes a text with one backslash for each two, the only escape that a scanned line has. */
function withoutEscapes(line: Uint8Array, { from, to }: ByteRange, into: Uint8Array): number {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    into[length] = line[at] as number;
    length += 1;
    if (line[at] === BACKSLASH) at += 1;
  }
  return length;
}

function areValues(
  { meterCount, meterIds, values }: SampleBytes,
  { meters }: ImportGroup,
): boolean {
  for (let i = 0; i < meterCount; i += 1) {
    const meter = meters.get(meterIds[i] as number);
    if (!meter || meter.fold === null) return false;
    if ((values[i] as number) < 0 && isCounting(meter.fold)) return false;
  }
  return true;
}

function putValues(
  { group, readings }: GatheredPlace,
  row: number,
  { meterCount, meterIds, values, count }: SampleBytes,
): void {
  for (let i = 0; i < meterCount; i += 1) {
    const place = (group.meters.get(meterIds[i] as number)?.slot ?? 0) - 1;
    readings.putValue(place, row, values[i] as number);
    if (count !== 1) readings.putCount(place, row, count);
  }
}
