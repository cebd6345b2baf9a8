import { type Guid, parseGuid } from '../domain/guid.ts';
import { floorTo } from '../domain/interval.ts';
import { parseRawKey } from '../domain/key-text.ts';
import { isCounting } from '../domain/meter-type.ts';
import { boundedCache } from './bounded-cache.ts';
import type { ImportGroup } from './import-group.ts';
import { simpleKey } from './import-key.ts';
import type { KeyTable } from './key-table.ts';
import type { ReadingBatch } from './reading-batch.ts';
import { SampleScanner } from './sample-scanner.ts';
import { isName } from './storable-text.ts';
import type { TimeBounds } from './time-bounds.ts';

export type ScannedSamplesOptions = {
  readonly groups: ReadonlyMap<Guid, ImportGroup>;
  /** The probe of samples that name none. */
  readonly probe: string | null;
  readonly bounds: TimeBounds;
};

/** Texts of groups and probes that are remembered: an import has few. */
const KNOWN_TEXTS = 1_000;

/**
 * Adds the samples that can be added without a look at the rules: the line is of the usual shape,
 * its key needs no unescaping, and nothing about it is unusual. The result tells of any other line
 * that nothing of it was added, and that `parseSampleLine` is to say what it means.
 */
export function createScannedSamples({
  groups,
  probe,
  bounds,
}: ScannedSamplesOptions): (batch: ReadingBatch, line: string) => boolean {
  const scanner = new SampleScanner();
  const groupOf = boundedCache(KNOWN_TEXTS, (text: string): ImportGroup | null => {
    const guid = parseGuid(text);
    return guid === null ? null : (groups.get(guid) ?? null);
  });
  const isProbe = boundedCache(KNOWN_TEXTS, isName);
  const values: (number | null)[] = [];
  return (batch, line) => {
    if (!scanner.scan(line)) return false;
    const { ts, count } = scanner;
    const group = groupOf(scanner.group);
    if (group === null || ts < bounds.from || ts > bounds.to || count < 1) return false;
    if (scanner.probe !== null && !isProbe(scanner.probe)) return false;
    if (!placeValues(scanner, group, values)) return false;
    const keyIndex = indexOf(batch.keys.of(group), scanner.key);
    if (keyIndex === -1) return false;
    const rows = batch.rowsOf(group, scanner.probe ?? probe);
    const row = batch.addRow(rows, floorTo(ts, group.bucketSeconds), keyIndex);
    rows.setValues(row, values, count);
    return true;
  };
}

/** The index of a key; −1 where a text is none, or one of several parts. */
function indexOf(table: KeyTable, text: string): number {
  const known = table.find(text);
  if (known !== -1 || table.group.keyKind === 'crosskey') return known;
  const key = parseRawKey(table.group.keyKind, text);
  return key === null ? -1 : table.indexOf(simpleKey(key));
}

/** Puts the values of a line into the places of their slots; false where one does not belong. */
function placeValues(
  { meterCount, meterIds, values }: SampleScanner,
  { meters, folds }: ImportGroup,
  places: (number | null)[],
): boolean {
  for (let i = 0; i < folds.length; i += 1) places[i] = null;
  for (let i = 0; i < meterCount; i += 1) {
    const meter = meters.get(meterIds[i] ?? -1);
    const value = values[i] ?? -1;
    if (!meter || meter.fold === null || (value < 0 && isCounting(meter.fold))) return false;
    places[meter.slot - 1] = value;
  }
  return true;
}
