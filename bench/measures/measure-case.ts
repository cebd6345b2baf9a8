import { difference } from '../questions/answer.ts';
import type { Case } from '../questions/cases.ts';
import type { OpenSystems } from '../systems/open-systems.ts';
import type { Asker, SystemName } from '../systems/system.ts';
import { measure, type Subject, warmUp } from './measure.ts';
import type { Figures } from './statistics.ts';

/** A case that every system answers identically, ready to be measured. */
export type CheckedCase = {
  readonly case: Case;
  readonly askers: ReadonlyMap<SystemName, Asker>;
};

/** What is measured: every system, and the service also with empty caches. */
export type MeasuredName = SystemName | 'ours, cold';

export type CaseResult = Pick<Case, 'window' | 'variant'> & {
  readonly figures: ReadonlyMap<MeasuredName, Figures>;
};

/** Error: the answers of two systems differ. */
export async function checkCase(
  { systems, service }: OpenSystems,
  toCheck: Case,
): Promise<CheckedCase> {
  const { window, variant, question } = toCheck;
  const askers = new Map<SystemName, Asker>();
  const [first, ...others] = systems;
  if (!first) throw new Error('there is no system to ask');
  const ask = async ({ name, prepare }: (typeof systems)[number]) => {
    const asker = await prepare(question);
    askers.set(name, asker);
    const answer = await asker();
    const keyCount =
      answer.keyCount ?? (name === 'ours' ? ((await service?.countKeys(question)) ?? null) : null);
    return { ...answer, keyCount };
  };
  const expected = await ask(first);
  for (const system of others) {
    const differing = difference(expected, await ask(system));
    if (differing === null) continue;
    throw new Error(
      `${window}, ${variant}: ${first.name} and ${system.name} differ: ${differing}\n` +
        JSON.stringify(question),
    );
  }
  return { case: toCheck, askers };
}

/** Asks every system for a while. */
export const warmUpCase = (checked: CheckedCase, systems: OpenSystems): Promise<void> =>
  warmUp(subjectsOf(checked, systems, false));

export async function measureCase(
  checked: CheckedCase,
  systems: OpenSystems,
  quick: boolean,
): Promise<CaseResult> {
  const { window, variant } = checked.case;
  return { window, variant, figures: await measure(subjectsOf(checked, systems, quick)) };
}

const subjectsOf = (
  { askers }: CheckedCase,
  { service }: OpenSystems,
  quick: boolean,
): Subject<MeasuredName>[] =>
  [...askers].flatMap(([name, run]): Subject<MeasuredName>[] => {
    const warm = { name, run, ...repetitions(name, quick) };
    if (name !== 'ours' || !service?.empty) return [warm];
    const cold = { name: 'ours, cold', before: service.empty, run } as const;
    return [warm, { ...cold, ...repetitions('ours, cold', quick) }];
  });

const LEAST: Readonly<Record<MeasuredName, number>> = {
  ours: 50,
  'ours, cold': 15,
  duckdb: 15,
  'duckdb-tuned': 15,
  'duckdb-text': 15,
  sql: 3,
};

const repetitions = (name: MeasuredName, quick: boolean): { least: number; most: number } => {
  const least = quick ? Math.ceil(LEAST[name] / 10) : LEAST[name];
  return { least, most: quick ? least : least * 6 };
};
