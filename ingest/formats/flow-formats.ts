import type { ImportFormat } from '../../domain/import-formats.ts';
import type { Flow, PortRule } from '../flows/flow.ts';
import type { JsonLineKind } from '../lines/json-line.ts';
import type { SkipReason } from '../lines/skipped-lines.ts';
import type { ExportNumber } from '../losses/export-number.ts';
import { createGoflow2Parser, GOFLOW2_LINES } from './goflow2/goflow2-json.ts';
import { createPmacctParser, PMACCT_LINES } from './pmacct/pmacct-json.ts';
import { createZeekConnParser, ZEEK_LINES } from './zeek/zeek-conn.ts';

/**
 * Takes the lines of a format in order, and returns what each holds: a flow, the reason why what it
 * holds is not counted, or null for a line without a record, such as a header.
 */
type FlowParser = (line: string) => Flow | SkipReason | null;

export type FlowParserOptions = {
  /** Time zone of a format that writes local times. */
  readonly timeZone: string;
  /** Which port flows count under, in formats that may report only one direction. */
  readonly portRule: PortRule;
  /**
   * Called with the number of the exporter's packet that brought a line, in formats that report it.
   */
  readonly onNumber?: (number: ExportNumber) => void;
  /** Called with what a user should know about the input, in formats that can tell. */
  readonly onNote?: (note: string) => void;
};

type FlowFormatParts = {
  /** null: it has no parser of single lines. */
  readonly createParser: ((options: FlowParserOptions) => FlowParser) | null;
  /** How to recognize its lines if they are JSON. */
  readonly json: JsonLineKind | null;
  /** Whether it has times without a zone, which are those of a zone that the user names. */
  readonly hasLocalTimes: boolean;
  /** Which of its inputs have one-way flows, whose port a rule chooses; or why it needs no rule. */
  readonly ways: { readonly oneWay: string } | { readonly whyNoRule: string };
};

/**
 * The formats in which a line is a flow: what a new one must have besides its folder, and its name
 * in `domain/import-formats.ts`.
 */
const FORMATS = {
  zeek: {
    createParser: createZeekConnParser,
    json: ZEEK_LINES,
    hasLocalTimes: false,
    ways: { whyNoRule: 'Zeek says who responded' },
  },
  // A flow of nfdump may have a second line: `flow-lines.ts` uses `nfdump/nfdump-rows.ts`.
  nfdump: {
    createParser: null,
    json: null,
    hasLocalTimes: true,
    ways: { oneWay: 'nfdump without -B' },
  },
  goflow2: {
    createParser: createGoflow2Parser,
    json: GOFLOW2_LINES,
    hasLocalTimes: false,
    ways: { oneWay: 'goflow2' },
  },
  pmacct: {
    createParser: createPmacctParser,
    json: PMACCT_LINES,
    hasLocalTimes: true,
    ways: { oneWay: 'pmacct' },
  },
} as const satisfies Readonly<Record<Exclude<ImportFormat, 'samples'>, FlowFormatParts>>;

export type FlowFormat = keyof typeof FORMATS;

// The keys of a literal are exactly those of its type.
export const FLOW_FORMATS = Object.keys(FORMATS) as readonly FlowFormat[];

const waysOf = (format: FlowFormat): FlowFormatParts['ways'] => FORMATS[format].ways;

/** The formats with local times. */
export const LOCAL_TIME_FORMATS = FLOW_FORMATS.filter((format) => FORMATS[format].hasLocalTimes);

/** The formats with one-way flows, and what exactly has them. */
export const ONE_WAY_FORMATS = FLOW_FORMATS.flatMap((format) => {
  const ways = waysOf(format);
  return 'oneWay' in ways ? [{ format, inputs: ways.oneWay }] : [];
});

/** Returns why no rule chooses the port of a format's flows; null: one does. */
export function whyNoPortRule(format: FlowFormat): string | null {
  const ways = waysOf(format);
  return 'whyNoRule' in ways ? ways.whyNoRule : null;
}

export const createFlowParser = (
  format: Exclude<FlowFormat, 'nfdump'>,
  options: FlowParserOptions,
): FlowParser => FORMATS[format].createParser(options);

/** Returns how to recognize the lines of a format that are JSON; null: they never are. */
export const jsonLinesOf = (format: FlowFormat): JsonLineKind | null => FORMATS[format].json;
