import { type Figures, figuresOf } from './statistics.ts';

/** Something to measure. */
export type Subject<Name extends string> = {
  readonly name: Name;
  run(): Promise<unknown>;
  /** Called before each run, outside the measured time. */
  readonly before?: () => Promise<void>;
  /** Minimum and maximum number of runs. */
  readonly least: number;
  readonly most: number;
};

/** A subject runs as often as fits this time, within its minimum and maximum. */
const BUDGET_MS = 8_000;
const WARM_UP_RUNS = 3;

/**
 * Measures the subjects in turn, so that other load on the machine affects all of them alike. Only
 * one of them runs at a time.
 */
export async function measure<Name extends string>(
  subjects: readonly Subject<Name>[],
): Promise<ReadonlyMap<Name, Figures>> {
  const turns: { at: number; subject: Subject<Name> }[] = [];
  for (const subject of subjects) {
    const runs = await runsFor(subject);
    for (let run = 0; run < runs; run += 1) turns.push({ at: (run + 0.5) / runs, subject });
  }
  turns.sort((a, b) => a.at - b.at);
  const times = new Map<Name, number[]>(subjects.map(({ name }) => [name, []]));
  for (const { subject } of turns) times.get(subject.name)?.push(await timeOf(subject));
  return new Map([...times].map(([name, each]) => [name, figuresOf(each)]));
}

/** How long each subject runs before anything is measured, so that its code is compiled. */
const WARM_UP_MS = 2_000;

/** Runs each subject for a while. */
export async function warmUp(subjects: readonly Subject<string>[]): Promise<void> {
  for (const subject of subjects) {
    for (let ms = 0; ms < WARM_UP_MS; ) ms += await timeOf(subject);
  }
}

async function runsFor(subject: Subject<string>): Promise<number> {
  const { least, most } = subject;
  const times: number[] = [];
  for (let run = 0; run < Math.min(WARM_UP_RUNS, least); run += 1) {
    times.push(await timeOf(subject));
  }
  const affordable = Math.floor(BUDGET_MS / figuresOf(times).median);
  return Math.min(Math.max(affordable, least), most);
}

async function timeOf({ before, run }: Subject<string>): Promise<number> {
  await before?.();
  const started = performance.now();
  await run();
  return performance.now() - started;
}
