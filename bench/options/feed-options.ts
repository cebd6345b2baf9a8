import type { Product } from '../systems/product.ts';
import type { ChurnShape } from '../traffic/churn-traffic.ts';
import { parse, refuse, showHelp, wholeNumber } from './parse-options.ts';
import { BESIDE_HELP, productsOf } from './version-options.ts';

export type ChurnOptions = {
  readonly shape: ChurnShape;
  readonly products: readonly Product[];
  readonly json: string | null;
};

export function churnOptions(args: readonly string[]): ChurnOptions {
  const values = parse(args, {
    addresses: { type: 'string', default: '5000000' },
    steady: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    beside: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`churn
  --addresses N  how many addresses are seen once in the day (default 5000000)
  --steady N     how many have a sample in every minute (default 2000)
  --seed N       another seed gives other samples (default 1)${BESIDE_HELP}
  --json FILE    write all figures there`);
  }
  const shape: ChurnShape = {
    addresses: wholeNumber('addresses', values.addresses),
    steady: wholeNumber('steady', values.steady),
    seed: wholeNumber('seed', values.seed),
  };
  return { shape, products: productsOf(values.beside), json: values.json ?? null };
}

export type FeedOptions = {
  readonly minutes: number;
  /** Flows per minute. */
  readonly flows: number;
  readonly keys: number;
  readonly products: readonly Product[];
  readonly json: string | null;
};

export function feedOptions(args: readonly string[]): FeedOptions {
  const values = parse(args, {
    minutes: { type: 'string', default: '1440' },
    flows: { type: 'string', default: '1900' },
    keys: { type: 'string', default: '200000' },
    beside: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`feed
  --minutes N    how many minutes of the day are committed (default 1440, the most)
  --flows N      how many flows a minute has (default 1900: about 8,600 samples)
  --keys N       how many addresses the flows are drawn from (default 200000)${BESIDE_HELP}
  --json FILE    write all figures there`);
  }
  const minutes = wholeNumber('minutes', values.minutes);
  if (minutes > 1440) refuse(`--minutes takes at most 1440, a day, got ${minutes}`);
  return {
    minutes,
    flows: wholeNumber('flows', values.flows),
    keys: wholeNumber('keys', values.keys),
    products: productsOf(values.beside),
    json: values.json ?? null,
  };
}
