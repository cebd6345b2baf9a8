import { Counter, type Registry } from 'prom-client';
import type { FeedLossCounts } from '../../db/write/feeds/feed-losses.ts';
import { LIMITS } from '../../domain/limits.ts';
import { BoundedNames } from '../telemetry/bounded-names.ts';
import type { MergingTally } from './merging-tally.ts';

type Count = (losses: FeedLossCounts) => number;

const LOST: ReadonlyMap<string, Count> = new Map<string, Count>([
  ['flows', ({ lostFlows }) => lostFlows],
  ['packets', ({ lostPackets }) => lostPackets],
  ['datagrams', ({ lostDatagrams }) => lostDatagrams],
]);

const REFUSED: ReadonlyMap<string, Count> = new Map<string, Count>([
  ['line', ({ refusedLines }) => refusedLines],
  ['archived', ({ leftOutFlows }) => leftOutFlows],
]);

/** Registers metrics of what feeds, which are other processes, did not import. */
export function registerFeedLosses(registry: Registry, tally: MergingTally): void {
  const names = new BoundedNames(LIMITS.metricNames);
  const counter = (named: { name: string; help: string }, label: string, counts: typeof LOST) =>
    new Counter({
      ...named,
      labelNames: ['context', 'format', label],
      registers: [registry],
      collect() {
        this.reset();
        for (const { context, format, ...losses } of tally.feedLosses) {
          const labels = { context: names.labelOf(context), format };
          for (const [value, count] of counts)
            this.inc({ ...labels, [label]: value }, count(losses));
        }
      },
    });
  counter(
    {
      name: 'countergraph_feed_lost_total',
      help: 'What exporters sent and no line of a feed contained, in the unit that their protocol counts',
    },
    'unit',
    LOST,
  );
  counter(
    {
      name: 'countergraph_feed_refused_total',
      help: 'Lines that feeds skipped because they could not be imported, and flows of archived slices',
    },
    'why',
    REFUSED,
  );
}
