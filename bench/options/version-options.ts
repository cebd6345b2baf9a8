import { resolve } from 'node:path';
import { type Product, THIS_PRODUCT } from '../systems/product.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import { SHAPE_HELP, SHAPE_OPTIONS, shapeOf } from './data-options.ts';
import { parse, refuse, showHelp, wholeNumber } from './parse-options.ts';

export const BESIDE_HELP = `
  --beside DIR   measure that built checkout of another version too, for ratios`;

/** The products that a run measures: this one, and the one beside it. */
export const productsOf = (beside: string | undefined): readonly Product[] =>
  beside === undefined ? [THIS_PRODUCT] : [THIS_PRODUCT, resolve(beside)];

export type VersionsOptions = {
  readonly shape: TrafficShape;
  /** 0: samples name no probe. */
  readonly probes: number;
  readonly product: Product;
  /** Another product to measure in turns with it. null: none. */
  readonly beside: Product | null;
  readonly json: string | null;
  readonly quick: boolean;
};

export function versionsOptions(args: readonly string[]): VersionsOptions {
  const own = {
    probes: { type: 'string' },
    product: { type: 'string', default: THIS_PRODUCT },
    beside: { type: 'string' },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`versions${SHAPE_HELP}
  --probes N     how many probes the samples come from (default: they name none)
  --product DIR  measure a built checkout of another version instead of this one
  --beside DIR   and this one in turns with it, for ratios
  --json FILE    write all figures there
  --quick        few repetitions: to see that it works`);
  }
  return {
    shape: shapeOf(values),
    probes: values.probes ? wholeNumber('probes', values.probes) : 0,
    product: resolve(values.product),
    beside: values.beside ? resolve(values.beside) : null,
    json: values.json ?? null,
    quick: values.quick,
  };
}

export type FlowsOptions = {
  readonly flows: readonly string[];
  /** Of `countergraph import`. */
  readonly format: string;
  readonly products: readonly Product[];
  readonly json: string | null;
};

export function flowsOptions(args: readonly string[]): FlowsOptions {
  const values = parse(args, {
    flows: { type: 'string', multiple: true, default: [] },
    format: { type: 'string', default: 'zeek' },
    beside: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`flows
  --flows FILE   a file of real flows, also more than once
  --format NAME  its format, as of \`countergraph import\` (default zeek)${BESIDE_HELP}
  --json FILE    write all figures there`);
  }
  if (values.flows.length === 0) refuse('--flows must name a file of flows');
  return {
    flows: values.flows.map((file) => resolve(file)),
    format: values.format,
    products: productsOf(values.beside),
    json: values.json ?? null,
  };
}

export type ConversionOptions = {
  readonly shape: TrafficShape;
  readonly from: Product;
  readonly json: string | null;
};

export function conversionOptions(args: readonly string[]): ConversionOptions {
  const own = { from: { type: 'string' }, json: { type: 'string' } } as const;
  const values = parse(args, { ...SHAPE_OPTIONS, ...own });
  if (values.help) {
    showHelp(`conversion${SHAPE_HELP}
  --from DIR     a built checkout of the last 1.7, which makes the database
  --json FILE    write all figures there`);
  }
  const from = values.from ?? refuse('--from must name a built checkout of the last 1.7');
  return { shape: shapeOf(values), from: resolve(from), json: values.json ?? null };
}
