import { Counter, Gauge, type Registry } from 'prom-client';
import type { ExporterSumsRow } from '../../db/sql/exporters.ts';
import { EXPORT_PROTOCOLS, LOSS_UNITS, type LossUnit } from '../../domain/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import { BoundedNames, type Named, OTHER } from '../telemetry/observed-metrics.ts';
import type { MergingTally } from './merging-metrics.ts';

const LABELS = ['context', 'exporter'] as const;

/** The values of a further label, each with a count. */
type Counts = (exporter: ExporterSumsRow) => readonly (readonly [string, number])[];

/**
 * Registers metrics of the exporters that collectors hear, as of the last background pass. The
 * addresses of datagrams may be forged, so only the first ones are named, those with the most flows
 * first. The counts of all others are added up.
 */
export function registerExporters(registry: Registry, tally: MergingTally): void {
  const contexts = new BoundedNames(LIMITS.metricNames);
  const exporters = new BoundedNames(LIMITS.metricNames);
  const labelsOf = ({ context, address }: ExporterSumsRow) => ({
    context: contexts.labelOf(context),
    exporter: exporters.labelOf(address),
  });
  const counter = (named: Named, label: string | null, counts: Counts) =>
    new Counter({
      ...named,
      labelNames: [...LABELS, ...(label === null ? [] : [label])],
      registers: [registry],
      collect() {
        this.reset();
        for (const exporter of tally.exporters) {
          const labels = labelsOf(exporter);
          for (const [value, count] of counts(exporter))
            this.inc(label === null ? labels : { ...labels, [label]: value }, count);
        }
      },
    });
  counter(
    {
      name: 'countergraph_exporter_flows_total',
      help: 'Flows that exporters reported and collectors read',
    },
    null,
    ({ flows }) => [['', flows]],
  );
  counter(
    {
      name: 'countergraph_exporter_lost_total',
      help: 'What exporters sent and no collector received, in the unit that their protocol counts',
    },
    'unit',
    lossCountsOf,
  );
  const reasons = new BoundedNames(LIMITS.metricNames);
  counter(
    {
      name: 'countergraph_exporter_refused_total',
      help: 'Datagrams of exporters, or parts of them, that collectors received and refused',
    },
    'reason',
    ({ refused }) =>
      Object.entries(refused).map(([reason, count]) => [reasons.labelOf(reason), count]),
  );
  registerStates(registry, tally, labelsOf);
}

/** Units that an exporter's protocols count begin with 0, so that the first loss is an increase. */
const lossCountsOf: Counts = ({ protocols, lostFlows, lostPackets, lostDatagrams }) => {
  const lost = { flows: lostFlows, packets: lostPackets, datagrams: lostDatagrams };
  const counted = new Set(protocols.map((protocol) => UNITS.get(protocol)));
  return LOSS_UNITS.filter((unit) => lost[unit] > 0 || counted.has(unit)).map((unit) => [
    unit,
    lost[unit],
  ]);
};

const UNITS: ReadonlyMap<string, LossUnit> = new Map(
  Object.entries(EXPORT_PROTOCOLS).map(([protocol, { unit }]) => [protocol, unit]),
);

type LabelsOf = (exporter: ExporterSumsRow) => Record<(typeof LABELS)[number], string>;

type StateOf = (exporter: ExporterSumsRow) => number | null;

/** Registers metrics of how exporters are, which have no sum: only of those that are named. */
function registerStates(registry: Registry, tally: MergingTally, labelsOf: LabelsOf): void {
  const gauge = (name: string, help: string, stateOf: StateOf) =>
    new Gauge({
      name: `countergraph_exporter_${name}`,
      help,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const exporter of tally.exporters) {
          const labels = labelsOf(exporter);
          const value = stateOf(exporter);
          if (value !== null && labels.exporter !== OTHER) this.set(labels, value);
        }
      },
    });
  gauge(
    'last_seen_timestamp_seconds',
    'When exporters were last heard, in seconds since the epoch',
    ({ lastSeen }) => lastSeen,
  );
  gauge(
    'waiting_for_template',
    'Datagrams of exporters that wait for their template',
    ({ waitingForTemplate }) => waitingForTemplate,
  );
  gauge(
    'sampling_rate',
    'The largest sampling rate that exporters use; 1: not sampled',
    ({ samplingRates }) => (samplingRates.length === 0 ? null : Math.max(...samplingRates)),
  );
  gauge(
    'clock_ahead_seconds',
    "How far the clocks of exporters are ahead of their collector's",
    ({ clockAheadSeconds }) => clockAheadSeconds,
  );
  gauge(
    'doubts',
    'How many things are doubtful about the sampling and the clock of exporters',
    ({ doubts }) => doubts.length,
  );
}
