/** The content type of Prometheus' text format, as prom-client answers `/metrics` with. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Gauge = {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly GaugeSample[];
};

type GaugeSample = {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: bigint;
};

/**
 * Gauges as Prometheus text. prom-client writes numbers that JavaScript has rounded before; here an
 * integer has all its digits, and whoever reads them decides what becomes of them.
 */
export const gaugesText = (gauges: readonly Gauge[]): string => gauges.map(gaugeText).join('');

function gaugeText({ name, help, samples }: Gauge): string {
  const lines = samples.map(({ labels, value }) => `${name}{${labelsText(labels)}} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

const labelsText = (labels: GaugeSample['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** Keys of cross-key groups have backslashes, labels may have anything. */
const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
