import type { Flow, PortRule } from '../flows/flow.ts';
import type { SkipReason } from '../lines/skipped-lines.ts';
import type { ExportNumber } from '../losses/export-number.ts';
import { createGoflow2Parser } from './goflow2/goflow2-json.ts';
import { createPmacctParser } from './pmacct/pmacct-json.ts';
import { createZeekConnParser } from './zeek/zeek-conn.ts';

/** The formats in which a line is a flow. */
export const FLOW_FORMATS = ['zeek', 'nfdump', 'goflow2', 'pmacct'] as const;

export type FlowFormat = (typeof FLOW_FORMATS)[number];

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

/** nfdump has a parser of its own: a flow of nfdump may have a second line. */
export function createFlowParser(
  format: Exclude<FlowFormat, 'nfdump'>,
  options: FlowParserOptions,
): FlowParser {
  switch (format) {
    case 'zeek':
      return createZeekConnParser();
    case 'goflow2':
      return createGoflow2Parser(options);
    case 'pmacct':
      return createPmacctParser(options);
  }
}
