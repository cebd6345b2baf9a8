import { Counter, Gauge, type Registry } from 'prom-client';
import type { FeedLossCounts, FeedStatesRow } from '../../db/sql/feeds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { BoundedNames } from '../telemetry/observed-metrics.ts';
import type { MergingTally } from './merging-metrics.ts';

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

/** Registers metrics of feeds, which are other processes, as of the last background pass. */
export function registerFeeds(registry: Registry, tally: MergingTally): void {
  const contexts = new BoundedNames(LIMITS.metricNames);
  const probes = new BoundedNames(LIMITS.metricNames);
  const labelsOf = ({ context, format, probe }: FeedStatesRow) => ({
    context: contexts.labelOf(context),
    format,
    probe: probe && probes.labelOf(probe),
  });
  registerStates(registry, tally, labelsOf);
  const counter = (named: { name: string; help: string }, label: string, counts: typeof LOST) =>
    new Counter({
      ...named,
      labelNames: [...LABELS, label],
      registers: [registry],
      collect() {
        this.reset();
        for (const feeds of tally.feeds) {
          const labels = labelsOf(feeds);
          for (const [value, count] of counts)
            this.inc({ ...labels, [label]: value }, count(feeds));
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

const LABELS = ['context', 'format', 'probe'] as const;

type LabelsOf = (feeds: FeedStatesRow) => Record<(typeof LABELS)[number], string>;

/** Registers metrics of what feeds are doing. */
function registerStates(registry: Registry, tally: MergingTally, labelsOf: LabelsOf): void {
  new Counter({
    name: 'countergraph_feed_flows_total',
    help: 'Flows that feeds have committed',
    labelNames: LABELS,
    registers: [registry],
    collect() {
      this.reset();
      for (const feeds of tally.feeds) this.inc(labelsOf(feeds), feeds.flows);
    },
  });
  const gauge = (
    named: { name: string; help: string },
    of: (feeds: FeedStatesRow) => number | null,
  ) =>
    new Gauge({
      ...named,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const feeds of tally.feeds) {
          const value = of(feeds);
          if (value !== null) this.set(labelsOf(feeds), value);
        }
      },
    });
  gauge(
    {
      name: 'countergraph_feed_waiting_flows',
      help: 'Flows that feeds have read and not committed yet',
    },
    ({ waitingFlows }) => waitingFlows,
  );
  gauge(
    {
      name: 'countergraph_feed_behind_seconds',
      help: 'Seconds since the newest flow that a running feed has read ended',
    },
    ({ behindSeconds }) =>
      behindSeconds === null
        ? null
        : behindSeconds + (performance.now() - tally.feedsReadAtMs) / 1000,
  );
  gauge(
    {
      name: 'countergraph_feed_last_commit_timestamp_seconds',
      help: 'When feeds last committed flows, in seconds since the epoch',
    },
    ({ lastCommitAt }) => lastCommitAt,
  );
}
