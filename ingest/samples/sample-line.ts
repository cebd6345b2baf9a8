import { parseCrossKey } from '../../domain/keys/cross-key.ts';
import { parseRawKey } from '../../domain/keys/key-text.ts';
import { type Guid, parseGuid } from '../../domain/text/guid.ts';
import { isName, NAME_FORM } from '../../domain/text/storable-text.ts';
import { type EpochSeconds, floorTo } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { ownCopy } from '../bounded-cache.ts';
import type { ImportGroup } from '../import-group.ts';
import { type ImportKey, simpleKey } from '../import-key.ts';
import { type KeyMetadata, keyTextsOf } from '../key-metadata.ts';
import { BadLine } from '../lines/bad-line.ts';
import {
  exactJsonObject,
  isJsonObject,
  type JsonObject,
  jsonNumber,
  shownJsonValue,
} from '../lines/json-line.ts';
import { checkTime, type TimeBounds } from '../time-bounds.ts';
import { isReading, parseWhole, type Whole } from '../whole.ts';

/** The content of a line of the `samples` format. */
type Sample = {
  readonly group: ImportGroup;
  readonly key: ImportKey;
  readonly bucket: EpochSeconds;
  /** Null if the line names none. */
  readonly probe: string | null;
  /** By meter; null if the line has no value. */
  readonly readings: readonly (Whole | null)[];
  /** Number of readings behind each value of a mean meter. */
  readonly count: Whole;
  readonly texts: KeyMetadata | null;
};

type SampleContext = {
  /** The groups declared in the context. */
  readonly groups: ReadonlyMap<Guid, ImportGroup>;
  readonly bounds: TimeBounds;
};

/** Parses a line of the `samples` format; unknown fields are ignored. */
export function parseSampleLine(context: SampleContext, line: string): Sample {
  const object = exactJsonObject(line);
  const group = groupIn(object, context.groups);
  const seconds = integerIn(object, 'ts');
  checkTime(context.bounds, 'ts', Number(seconds), String(seconds));
  return {
    group,
    key: keyIn(object, group),
    bucket: floorTo(Number(seconds), group.bucketSeconds),
    probe: probeIn(object),
    readings: readingsIn(object, group),
    count: countIn(object),
    texts: keyTextsOf(object),
  };
}

function groupIn(object: JsonObject, groups: SampleContext['groups']): ImportGroup {
  const text = textIn(object, 'group');
  const guid = parseGuid(text);
  if (guid === null)
    throw new BadLine(`group must be a GUID in braces, got ${shownJsonValue(text)}`);
  const group = groups.get(guid);
  if (!group) throw new BadLine(`group must be one that the context declares, got ${guid}`);
  return group;
}

function keyIn(object: JsonObject, group: ImportGroup): ImportKey {
  const text = textIn(object, 'key');
  if (group.keyKind !== 'crosskey') {
    const key = parseRawKey(group.keyKind, text);
    if (key !== null) return simpleKey(key);
    throw new BadLine(
      `key must be a raw key of kind ${group.keyKind}, got ${shownJsonValue(text)}`,
    );
  }
  // A copy: the parts of the key stay in memory and must not keep the whole line there.
  const key = parseCrossKey(group.partKinds, ownCopy(text));
  if (key !== null) return { text: key.key, parts: key.parts };
  const kinds = group.partKinds.join('\\');
  throw new BadLine(`key must be a raw key of the form ${kinds}, got ${shownJsonValue(text)}`);
}

function readingsIn(object: JsonObject, group: ImportGroup): (Whole | null)[] {
  const values = object['values'];
  if (!isJsonObject(values) || Object.keys(values).length === 0) {
    throw new BadLine(
      `values must be an object of at least one meter, got ${shownJsonValue(values)}`,
    );
  }
  const readings: (Whole | null)[] = group.aggregates.map(() => null);
  for (const [id, value] of Object.entries(values)) {
    const meter = /^\d{1,10}$/.test(id) ? group.meters.get(Number(id)) : undefined;
    if (!meter) throw new BadLine(`group ${group.guid} has no meter ${shownJsonValue(id)}`);
    if (meter.aggregate === null) {
      throw new BadLine(`meter ${id} is of type 0 (VT_INVALID), which takes no readings`);
    }
    readings[meter.meterIndex] = readingOf(value, id, isCounting(meter.aggregate) ? 0 : -1);
  }
  return readings;
}

/** sign: −1 for meters whose readings may be negative. Decision 8. */
function readingOf(value: unknown, meterId: string, sign: 0 | -1): Whole {
  const whole = wholeOf(value);
  if (whole !== null && isReading(whole) && (whole >= 0 || sign === -1)) return whole;
  const min = sign === 0 ? '0' : '-(2^63-1)';
  throw new BadLine(
    `the value of meter ${meterId} must be an integer from ${min} to 2^63-1, got ${shownJsonValue(value)}`,
  );
}

function countIn(object: JsonObject): Whole {
  const count = object['count'] ?? null;
  if (count === null) return 1;
  const whole = wholeOf(count);
  if (whole !== null && whole >= 1 && isReading(whole)) return whole;
  throw new BadLine(`count must be an integer from 1 to 2^63-1, got ${shownJsonValue(count)}`);
}

function probeIn(object: JsonObject): string | null {
  const probe = object['probe'] ?? null;
  if (probe === null) return null;
  if (typeof probe === 'string' && isName(probe)) return probe;
  throw new BadLine(`probe must be ${NAME_FORM}, got ${shownJsonValue(probe)}`);
}

function textIn(object: JsonObject, field: string): string {
  const value = object[field];
  if (typeof value === 'string') return value;
  throw new BadLine(`${field} must be a text, got ${shownJsonValue(value)}`);
}

function integerIn(object: JsonObject, field: string): Whole {
  const whole = wholeOf(object[field]);
  if (whole !== null) return whole;
  throw new BadLine(`${field} must be an integer, got ${shownJsonValue(object[field])}`);
}

function wholeOf(value: unknown): Whole | null {
  // Exact: a number that might have been rounded was kept as text. Adding 0 turns JSON's -0 into 0.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0;
  const text = jsonNumber(value);
  return text === null ? null : parseWhole(text);
}
