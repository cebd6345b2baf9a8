import { resolve } from 'node:path';
import type { ParseArgsConfig } from 'node:util';
import { THIS_PRODUCT } from '../systems/product.ts';
import { SYSTEM_NAMES, type SystemName } from '../systems/system.ts';
import { checkShape, type TrafficShape } from '../traffic/traffic.ts';
import { parse, refuse, showHelp, wholeNumber } from './parse-options.ts';

/** The options that `toppers` and `exact` share. */
export type DataOptions = {
  readonly shape: TrafficShape;
  /** A folder whose loaded data are reused, or kept for a later run. null: neither. */
  readonly keep: string | null;
};

export type ToppersOptions = DataOptions & {
  readonly only: readonly SystemName[];
  readonly json: string | null;
  readonly quick: boolean;
};

export type ExactOptions = DataOptions & { readonly seconds: number };

export const SHAPE_OPTIONS = {
  samples: { type: 'string', default: '10000000' },
  days: { type: 'string' },
  flat: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

const DATA_OPTIONS = {
  ...SHAPE_OPTIONS,
  keep: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

export const SHAPE_HELP = `
  --samples N    how many samples to generate (default 10000000)
  --days N       over how many days (default 7, beyond 10 million samples in proportion)
  --flat         all keys equally often, instead of by Zipf's law
  --seed N       another seed gives other samples (default 1)`;

const DATA_HELP = `${SHAPE_HELP}
  --keep FOLDER  keep the loaded databases there, and use them again in a later run`;

export function toppersOptions(args: readonly string[]): ToppersOptions {
  const own = {
    only: { type: 'string', default: SYSTEM_NAMES.join(',') },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  } as const;
  const values = parse(args, { ...DATA_OPTIONS, ...own });
  if (values.help) {
    showHelp(`toppers${DATA_HELP}
  --only NAMES   of ${SYSTEM_NAMES.join(',')}: which systems to measure
  --json FILE    write all figures there
  --quick        few repetitions: to see that it works`);
  }
  const only = values.only.split(',').map((name) => {
    const known = SYSTEM_NAMES.find((each) => each === name);
    return known ?? refuse(`--only takes names of ${SYSTEM_NAMES.join(',')}, got ${name}`);
  });
  return { ...dataOptions(values), only, json: values.json ?? null, quick: values.quick };
}

export type RankingsOptions = {
  readonly shape: TrafficShape;
  /** The folder of a built checkout. */
  readonly product: string;
  readonly json: string | null;
  readonly quick: boolean;
};

export function rankingsOptions(
  command: 'rankings' | 'networks' | 'trends' | 'limits' | 'matching' | 'compression',
  args: readonly string[],
): RankingsOptions {
  const own = {
    product: { type: 'string', default: THIS_PRODUCT },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`${command}${SHAPE_HELP}
  --product DIR  measure a built checkout of another version instead of this one
  --json FILE    write all figures there
  --quick        few repetitions: to see that it works`);
  }
  return {
    shape: shapeOf(values),
    product: resolve(values.product),
    json: values.json ?? null,
    quick: values.quick,
  };
}

export type AlertsOptions = {
  readonly shape: TrafficShape;
  readonly json: string | null;
};

export function alertsOptions(args: readonly string[]): AlertsOptions {
  const values = parse(args, { ...SHAPE_OPTIONS, json: { type: 'string' } });
  if (values.help) {
    showHelp(`alerts${SHAPE_HELP}
  --json FILE    write all figures there`);
  }
  return { shape: shapeOf(values), json: values.json ?? null };
}

export type ClusterOptions = {
  readonly shape: TrafficShape;
  /** URL of a database on a Citus coordinator that has workers. */
  readonly citus: string;
  readonly rounds: number;
  readonly json: string | null;
  readonly quick: boolean;
};

export function clusterOptions(args: readonly string[]): ClusterOptions {
  const own = {
    citus: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`cluster${SHAPE_HELP}
  --citus URL    a database of a coordinator of Citus with workers, on which databases may be
                 made (default: COUNTERGRAPH_TEST_CITUS_URL)
  --rounds N     how often the samples are imported into either (default 3)
  --json FILE    write all figures there
  --quick        few repetitions: to see that it works`);
  }
  const citus = values.citus ?? process.env['COUNTERGRAPH_TEST_CITUS_URL'];
  return {
    shape: shapeOf(values),
    citus: citus ?? refuse('--citus must be the address of a database of a coordinator of Citus'),
    rounds: wholeNumber('rounds', values.rounds),
    json: values.json ?? null,
    quick: values.quick,
  };
}

export function exactOptions(args: readonly string[]): ExactOptions {
  const values = parse(args, {
    ...DATA_OPTIONS,
    seconds: { type: 'string', default: '60' },
  } as const);
  if (values.help) {
    showHelp(`exact${DATA_HELP}
  --seconds N    for how long to ask (default 60)`);
  }
  return { ...dataOptions(values), seconds: wholeNumber('seconds', values.seconds) };
}

type ShapeValues = {
  readonly samples: string;
  readonly days?: string | undefined;
  readonly flat: boolean;
  readonly seed: string;
};

type DataValues = ShapeValues & { readonly keep?: string | undefined };

const dataOptions = ({ keep = '', ...values }: DataValues): DataOptions => ({
  shape: shapeOf(values),
  keep: keep || null,
});

export function shapeOf(values: ShapeValues): TrafficShape {
  const samples = wholeNumber('samples', values.samples);
  const shape: TrafficShape = {
    samples,
    // More samples mean more days of the same density.
    days: values.days
      ? wholeNumber('days', values.days)
      : Math.max(7, Math.round((samples * 7) / 10_000_000)),
    seed: wholeNumber('seed', values.seed),
    popularity: values.flat ? 'flat' : 'zipf',
  };
  try {
    checkShape(shape);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  return shape;
}
