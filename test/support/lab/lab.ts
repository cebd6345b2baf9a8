import { ADA, CONTEXT, type Line, startTestService, type TestServiceOptions } from './service.ts';

/** 2024-07-15T00:00:00Z, a Monday: where most data sets of the tests begin. */
export const T0 = 1_721_001_600;

export const DAY = 86_400;

/** A GUID in the specification's form, with letters in it. */
export const guidOf = (n: number): string =>
  `{ABCDEF00-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}}`;

export type DeclaredMeter = {
  readonly id: number;
  readonly type: number;
  readonly [field: string]: unknown;
};

export type DeclaredGroup = {
  readonly guid: string;
  readonly name: string;
  readonly key_kind: string;
  readonly bucket_size: number;
  readonly topper_bucket_size: number;
  readonly sampling_rate: number;
  readonly meters: readonly DeclaredMeter[];
  readonly [field: string]: unknown;
};

/** A group of text keys with buckets of 60 and topper buckets of 300 seconds, and one counter. */
export const group = (n: number, overrides: Partial<DeclaredGroup> = {}): DeclaredGroup => ({
  guid: guidOf(n),
  name: `Group ${n}`,
  key_kind: 'text',
  bucket_size: 60,
  topper_bucket_size: 300,
  sampling_rate: 1,
  meters: [meter(0, 2)],
  ...overrides,
});

export const meter = (id: number, type: number, name = `Meter ${id}`): DeclaredMeter => ({
  id,
  type,
  name,
  topcount: 100,
  description: `Meter ${id}, type ${type}`,
  units: 'bytes',
});

export type Lab = TestServiceOptions & {
  readonly groups: readonly DeclaredGroup[];
  readonly lines?: readonly Line[];
  /** What else the context declares. */
  readonly declaration?: Readonly<Record<string, unknown>>;
};

/** A service whose context `lab` has these groups and samples, and a user with access to it. */
export async function startLab({ groups, lines = [], declaration, ...options }: Lab) {
  const service = await startTestService(options);
  await service.apply({ context: CONTEXT, groups, ...declaration });
  if (lines.length > 0) await service.importSamples(lines);
  await service.addUser(ADA, [CONTEXT]);
  return service;
}
