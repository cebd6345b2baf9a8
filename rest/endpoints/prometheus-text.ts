/** The content type of Prometheus' text format, as prom-client sends it for `/metrics`. */
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
 * Writes gauges as Prometheus text. prom-client writes numbers that JavaScript has already rounded;
 * here an integer keeps all its digits, and the reader decides how to round them.
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

/** Keys of cross-key groups contain backslashes, and labels may contain anything. */
const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
