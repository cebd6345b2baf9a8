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
};

/** The formats in which a line is a flow: what a new one must have besides its folder. */
const FORMATS = {
  zeek: { createParser: createZeekConnParser, json: ZEEK_LINES },
  // A flow of nfdump may have a second line: `flow-lines.ts` uses `nfdump/nfdump-rows.ts`.
  nfdump: { createParser: null, json: null },
  goflow2: { createParser: createGoflow2Parser, json: GOFLOW2_LINES },
  pmacct: { createParser: createPmacctParser, json: PMACCT_LINES },
} as const satisfies Readonly<Record<string, FlowFormatParts>>;

export type FlowFormat = keyof typeof FORMATS;

// The keys of a literal are exactly those of its type.
export const FLOW_FORMATS = Object.keys(FORMATS) as readonly FlowFormat[];

export const createFlowParser = (
  format: Exclude<FlowFormat, 'nfdump'>,
  options: FlowParserOptions,
): FlowParser => FORMATS[format].createParser(options);

/** Returns how to recognize the lines of a format that are JSON; null: they never are. */
export const jsonLinesOf = (format: FlowFormat): JsonLineKind | null => FORMATS[format].json;
