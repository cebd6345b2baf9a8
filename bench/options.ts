import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Product, THIS_PRODUCT } from './systems/product.ts';
import { SYSTEM_NAMES, type SystemName } from './systems/system.ts';
import type { ChurnShape } from './traffic/churn-traffic.ts';
import { checkShape, type TrafficShape } from './traffic/traffic.ts';

/** What both programs take. */
export type DataOptions = {
  readonly shape: TrafficShape;
  /** A folder whose loaded data are used again, or kept for a later run; null: neither. */
  readonly keep: string | null;
};

export type ToppersOptions = DataOptions & {
  readonly only: readonly SystemName[];
  readonly json: string | null;
  readonly quick: boolean;
};

export type ExactOptions = DataOptions & { readonly seconds: number };

const SHAPE_OPTIONS = {
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

const SHAPE_HELP = `
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

export type ProbesOptions = {
  readonly shape: TrafficShape;
  readonly probes: number;
  readonly product: Product;
  /** Another product that is asked in turns with it; null: none. */
  readonly beside: Product | null;
  readonly json: string | null;
  readonly quick: boolean;
};

export function probesOptions(args: readonly string[]): ProbesOptions {
  const own = {
    probes: { type: 'string', default: '50' },
    product: { type: 'string', default: THIS_PRODUCT },
    beside: { type: 'string' },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`probes${SHAPE_HELP}
  --probes N     how many probes the samples come from (default 50)
  --product DIR  measure a built checkout of another version instead of this one
  --beside DIR   and this one in turns with it, for a ratio
  --json FILE    write all figures there
  --quick        few repetitions: to see that it works`);
  }
  return {
    shape: shapeOf(values),
    probes: wholeNumber('probes', values.probes),
    product: resolve(values.product),
    beside: values.beside ? resolve(values.beside) : null,
    json: values.json ?? null,
    quick: values.quick,
  };
}

export type RankingsOptions = {
  readonly shape: TrafficShape;
  /** The folder of a built checkout. */
  readonly product: string;
  readonly json: string | null;
  readonly quick: boolean;
};

export function rankingsOptions(
  command: 'rankings' | 'networks' | 'trends',
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
  /** A database of a coordinator of Citus that has workers. */
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

export type ConversionOptions = {
  readonly shape: TrafficShape;
  /** A version that kept readings as rows. */
  readonly from: Product;
  readonly json: string | null;
};

export function conversionOptions(args: readonly string[]): ConversionOptions {
  const own = { from: { type: 'string' }, json: { type: 'string' } } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`conversion${SHAPE_HELP}
  --from DIR     a built checkout of version 0.7.0, which makes the database
  --json FILE    write all figures there`);
  }
  const from = values.from ?? refuse('--from must name a built checkout of version 0.7.0');
  return { shape: shapeOf(values), from: resolve(from), json: values.json ?? null };
}

export type ServingOptions = {
  /** A part of the names of the cases to measure; empty: all. */
  readonly only: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly json: string | null;
  /** Compare servers of so many processes, instead of ours with others; null: the latter. */
  readonly processes: readonly number[] | null;
};

export function servingOptions(args: readonly string[]): ServingOptions {
  const values = parse(args, {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`serving
  --only TEXT    only cases with this text in their name, such as 'GraphQL topper'
  --seconds N    how long each server is asked in a round (default 5)
  --rounds N     how many rounds there are (default 3)
  --processes N,M  compare ours with N processes and with M, instead of with other servers
  --json FILE    write all figures there`);
  }
  return {
    processes: values.processes?.split(',').map((each) => wholeNumber('processes', each)) ?? null,
    only: values.only,
    seconds: wholeNumber('seconds', values.seconds),
    rounds: wholeNumber('rounds', values.rounds),
    json: values.json ?? null,
  };
}

export type KilledOptions = { readonly processes: number; readonly kills: number };

export function killedOptions(args: readonly string[]): KilledOptions {
  const values = parse(args, {
    processes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`killed
  --processes N  how many processes serve (default 2)
  --kills N      how many of them are killed, one after the other (default 5)`);
  }
  return {
    processes: wholeNumber('processes', values.processes),
    kills: wholeNumber('kills', values.kills),
  };
}

export type SoakOptions = { readonly minutes: number; readonly json: string | null };

export function soakOptions(args: readonly string[]): SoakOptions {
  const values = parse(args, {
    minutes: { type: 'string', default: '10' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`soak
  --minutes N    how long to ask at 80 % of what is possible (default 10)
  --json FILE    write all figures there`);
  }
  return { minutes: wholeNumber('minutes', values.minutes), json: values.json ?? null };
}

export type ChurnOptions = { readonly shape: ChurnShape; readonly json: string | null };

export function churnOptions(args: readonly string[]): ChurnOptions {
  const values = parse(args, {
    addresses: { type: 'string', default: '5000000' },
    steady: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`churn
  --addresses N  how many addresses are seen once in the day (default 5000000)
  --steady N     how many have a sample in every minute (default 2000)
  --seed N       another seed gives other samples (default 1)
  --json FILE    write all figures there`);
  }
  const shape: ChurnShape = {
    addresses: wholeNumber('addresses', values.addresses),
    steady: wholeNumber('steady', values.steady),
    seed: wholeNumber('seed', values.seed),
  };
  return { shape, json: values.json ?? null };
}

export type FeedOptions = {
  readonly minutes: number;
  /** A minute. */
  readonly flows: number;
  readonly keys: number;
  readonly json: string | null;
};

export function feedOptions(args: readonly string[]): FeedOptions {
  const values = parse(args, {
    minutes: { type: 'string', default: '1440' },
    flows: { type: 'string', default: '1900' },
    keys: { type: 'string', default: '200000' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`feed
  --minutes N    how many minutes of the day are committed (default 1440, the most)
  --flows N      how many flows a minute has (default 1900: about 8,600 samples)
  --keys N       how many addresses the flows are drawn from (default 200000)
  --json FILE    write all figures there`);
  }
  const minutes = wholeNumber('minutes', values.minutes);
  if (minutes > 1440) refuse(`--minutes takes at most 1440, a day, got ${minutes}`);
  return {
    minutes,
    flows: wholeNumber('flows', values.flows),
    keys: wholeNumber('keys', values.keys),
    json: values.json ?? null,
  };
}

export type StreamsOptions = {
  readonly streams: number;
  readonly minutes: number;
  /** Seconds from one commit to the next. */
  readonly every: number;
  readonly json: string | null;
};

export function streamsOptions(args: readonly string[]): StreamsOptions {
  const values = parse(args, {
    streams: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '5' },
    every: { type: 'string', default: '3' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`streams
  --streams N    how many streams are open (default 2000; 50 questions in all)
  --minutes N    how long (default 5)
  --every N      seconds from one commit to the next (default 3)
  --json FILE    write all figures there`);
  }
  return {
    streams: wholeNumber('streams', values.streams),
    minutes: wholeNumber('minutes', values.minutes),
    every: wholeNumber('every', values.every),
    json: values.json ?? null,
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

function shapeOf(values: ShapeValues): TrafficShape {
  const samples = wholeNumber('samples', values.samples);
  const shape: TrafficShape = {
    samples,
    // With more samples there are more days of the same density.
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

function parse<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  return refuse(`--${name} takes a whole number from 1, got ${text}`);
}

function showHelp(text: string): never {
  console.log(`npm --prefix bench run ${text.replace('\n', ' -- [options]\n\n')}`);
  process.exit(0);
}

function refuse(message: string): never {
  console.error(`${message} (--help shows all options)`);
  process.exit(2);
}
