import type { Flow } from '../flows/flow.ts';
import { inOrder } from '../in-order.ts';
import type { LineTaker } from '../lines/read-lines.ts';
import { NONE_SKIPPED, type SkippedLines, type SkipReason } from '../lines/skipped-lines.ts';
import { createFlowParser, type FlowFormat, type FlowParserOptions } from './flow-formats.ts';
import { createNfdumpParser } from './nfdump/nfdump-csv.ts';
import { createTunnelFilter, type NfdumpFlow } from './nfdump/nfdump-tunnels.ts';

/** Where the flows of an input go. */
type FlowTarget = {
  /** Throws a `BadLine` if a flow cannot be taken. Called at the flow's own line. */
  readonly check: (flow: Flow) => void;
  /** Takes a flow, perhaps after its line. Returns what to wait for before the next, or null. */
  readonly take: (flow: Flow) => Promise<void> | null;
  /** Called for a line without a record, such as a header. */
  readonly noteOther?: () => void;
};

/** The lines of an input of flows. */
type FlowLines = {
  readonly take: LineTaker;
  /** Called after the last line. Returns what to wait for, or null. */
  readonly end: () => Promise<void> | null;
  readonly skipped: () => SkippedLines;
};

type FlowLinesOptions = FlowParserOptions & {
  readonly format: FlowFormat;
  /** Returns a parser that finds a record only in the lines that count. By default all do. */
  readonly only?: (<Found>(parse: Parser<Found>) => Parser<Found>) | undefined;
};

/** Returns a taker of the lines of an input, which passes their flows on. */
export function createFlowLines(options: FlowLinesOptions, target: FlowTarget): FlowLines {
  const counts: Record<SkipReason, number> = { ...NONE_SKIPPED };
  const skip = (reason: SkipReason) => {
    counts[reason] += 1;
  };
  const { format, only = (parse) => parse } = options;
  const lines =
    format === 'nfdump'
      ? linesOfNfdump(only(createNfdumpParser(options)), target, skip)
      : linesOf(only(createFlowParser(format, options)), target, skip);
  return { ...lines, skipped: () => ({ ...counts }) };
}

type Parser<Found> = (line: string) => Found | SkipReason | null;

type Skip = (reason: SkipReason) => void;

function linesOf(
  parse: Parser<Flow>,
  { check, take, noteOther }: FlowTarget,
  skip: Skip,
): Pick<FlowLines, 'take' | 'end'> {
  return {
    take(line) {
      const found = parse(line);
      if (found === null) noteOther?.();
      else if (typeof found === 'string') skip(found);
      else {
        check(found);
        return take(found);
      }
      return null;
    },
    end: () => null,
  };
}

function linesOfNfdump(
  parse: Parser<NfdumpFlow>,
  { check, take, noteOther }: FlowTarget,
  skip: Skip,
): Pick<FlowLines, 'take' | 'end'> {
  const filter = createTunnelFilter();
  const settle = (line: NfdumpFlow | null): Promise<void> | null => {
    const { flows, hasTunnelLine } = filter(line);
    if (hasTunnelLine) skip('tunnelLines');
    return inOrder(flows.values(), take);
  };
  return {
    take(line) {
      const found = parse(line);
      if (found !== null && typeof found === 'object') {
        check(found.flow);
        return settle(found);
      }
      const due = settle(null);
      if (found === null) noteOther?.();
      else skip(found);
      return due;
    },
    end: () => settle(null),
  };
}
