import type { Connection } from '../../db/write/connection.ts';
import { selectKeyNames } from '../../db/write/select-names.ts';
import { parseGuid } from '../../domain/guid.ts';
import { LIMITS } from '../../domain/limits.ts';
import { WHOLE_GROUP } from '../../topk/key-series.ts';
import type { StoredGroup } from '../pack-groups.ts';

/** A difference between what is stored and what the samples say. Null: it is not about one. */
export type Difference = {
  readonly group: string;
  readonly guid: string;
  /** Where it is stored. */
  readonly table: 'topper_blocks' | 'key_series' | 'coarse_blocks' | 'coverage';
  readonly slice: string | null;
  readonly probe: string | null;
  readonly resolutionSeconds: number | null;
  /** As in 2024-07-15T10:00:00Z. */
  readonly start: string | null;
  readonly key: string | null;
  readonly meter: number | null;
  /** All of it in words, for people. */
  readonly text: string;
};

/** What is compared. */
export type Subject = {
  readonly group: StoredGroup;
  readonly table: Difference['table'];
  readonly slice: string | null;
  readonly probe: string | null;
  readonly level: number | null;
};

/** What is wrong where: problem is the sentence's end. */
export type Finding = {
  readonly start?: number | undefined;
  readonly key?: { readonly shard: number; readonly keyId: number } | undefined;
  readonly meter?: number | undefined;
  readonly problem: string;
};

/** Counts all differences and keeps the first ones. */
export class Differences {
  readonly #kept: { readonly subject: Subject; readonly finding: Finding }[] = [];
  count = 0;

  add(subject: Subject, finding: Finding): void {
    this.count += 1;
    if (this.#kept.length < LIMITS.namedDifferences) this.#kept.push({ subject, finding });
  }

  /** Those that are kept, with the texts of their keys. */
  async named(connection: Connection): Promise<Difference[]> {
    const places = this.#kept.map(({ subject, finding }) => {
      const { shard, keyId } = finding.key ?? { shard: -1, keyId: -1 };
      return { groupId: subject.group.groupId, shard, keyId };
    });
    const keys = await selectKeyNames(connection, places);
    return this.#kept.map(({ subject, finding }, i) => toDifference(subject, finding, keys[i]));
  }
}

function toDifference(
  { group, table, slice, probe, level }: Subject,
  { start, key, meter, problem }: Finding,
  keyText: string | null | undefined,
): Difference {
  const difference = {
    ...{ group: group.name, guid: parseGuid(group.guid) ?? group.guid, table, slice, probe },
    resolutionSeconds: level,
    start: start === undefined ? null : isoTime(start),
    key: key ? nameOf(key, keyText ?? null) : null,
    meter: meter ?? null,
  };
  return { ...difference, text: `${placeOf(difference)}: ${problem}` };
}

const nameOf = (key: NonNullable<Finding['key']>, text: string | null): string =>
  key.keyId === WHOLE_GROUP
    ? 'the whole group'
    : (text ?? `key id ${key.keyId} of shard ${key.shard}`);

const TABLE_WORDS = {
  topper_blocks: (seconds: number | null) => `blocks of ${seconds} s`,
  key_series: (seconds: number | null) => `series of ${seconds} s`,
  coarse_blocks: (seconds: number | null) => `blocks of ${seconds} s`,
  coverage: () => 'coverage',
} as const;

function placeOf(difference: Omit<Difference, 'text'>): string {
  const { group, guid, table, slice, probe, start, key, meter } = difference;
  return [
    `${group} ${guid}`,
    TABLE_WORDS[table](difference.resolutionSeconds),
    ...(slice === null ? [] : [slice]),
    ...(probe === null ? [] : [`probe ${probe}`]),
    ...(start === null ? [] : [start]),
    ...(key === null
      ? []
      : [key.startsWith('key id') || key === 'the whole group' ? key : `key ${key}`]),
    ...(meter === null ? [] : [`meter ${meter}`]),
  ].join(', ');
}

/** A time that no calendar has comes out of damaged data only. */
export function isoTime(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000);
  return Number.isNaN(date.getTime())
    ? `second ${epochSeconds}`
    : date.toISOString().replace('.000Z', 'Z');
}
