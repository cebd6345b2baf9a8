import type { Flow, PortRule } from '../flows/flow.ts';
import type { ExportNumber } from '../losses/export-number.ts';
import { createGoflow2Parser } from './goflow2/goflow2-json.ts';
import { createNfdumpParser } from './nfdump/nfdump-csv.ts';
import { createPmacctParser } from './pmacct/pmacct-json.ts';
import { createZeekConnParser } from './zeek/zeek-conn.ts';

/** The formats in which a line is a flow. */
export const FLOW_FORMATS = ['zeek', 'nfdump', 'goflow2', 'pmacct'] as const;

export type FlowFormat = (typeof FLOW_FORMATS)[number];

/** Takes the lines of a format in order, and returns the flow of each; null if it has none. */
type FlowParser = (line: string) => Flow | null;

export type FlowParserOptions = {
  /** Time zone of a format that writes local times. */
  readonly timeZone: string;
  /** Which port flows count under, in formats that may report only one direction. */
  readonly portRule: PortRule;
  /**
   * Called with the number of the exporter's packet that brought a line, in formats that report it.
   */
  readonly onNumber?: (number: ExportNumber) => void;
};

export function createFlowParser(format: FlowFormat, options: FlowParserOptions): FlowParser {
  switch (format) {
    case 'zeek':
      return createZeekConnParser();
    case 'nfdump':
      return createNfdumpParser(options);
    case 'goflow2':
      return createGoflow2Parser(options);
    case 'pmacct':
      return createPmacctParser(options);
  }
}
