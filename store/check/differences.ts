import { LIMITS } from '../../domain/limits.ts';

/** Something stored that is not as it should be. Null where it does not concern one. */
export type Difference = {
  readonly group: string | null;
  readonly guid: string | null;
  /** The slice's name. */
  readonly slice: string | null;
  readonly probe: string | null;
  readonly segment: number | null;
  readonly problem: string;
  /** The whole difference in words, for people. */
  readonly text: string;
};

/** What is being checked. */
export type Subject = Omit<Difference, 'problem' | 'text'>;

/** What concerns no part of the data. */
export const NAMELESS: Subject = {
  group: null,
  guid: null,
  slice: null,
  probe: null,
  segment: null,
};

/** Counts all differences and keeps the first ones. */
export class Differences {
  readonly kept: Difference[] = [];
  count = 0;

  add(subject: Subject, problem: string): void {
    this.count += 1;
    if (this.kept.length >= LIMITS.namedDifferences) return;
    this.kept.push({ ...subject, problem, text: `${nameOf(subject)}: ${problem}` });
  }
}

function nameOf({ group, guid, slice, probe, segment }: Subject): string {
  const names = [
    group === null ? null : [group, guid].filter((name) => name !== null).join(' '),
    slice,
    probe === null ? null : `probe ${probe}`,
    segment === null ? null : `segment ${segment}`,
  ];
  return names.filter((name) => name !== null).join(', ');
}
