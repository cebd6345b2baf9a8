/** A metric as `# HELP` and `# TYPE` describe it, with the labels of its samples. */
export type MetricFamily = {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
};

export type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export type Metrics = ReturnType<typeof readMetrics>;

/**
 * Parses Prometheus text. It assumes that label values contain no quotes. Only what is asked for is
 * parsed, as tests that wait for a value ask many times.
 */
export function readMetrics(text: string) {
  const lines = text.split('\n');
  const parse = (some: readonly string[]) => some.flatMap((line) => readSample(line) ?? []);
  return {
    text,
    get samples() {
      return parse(lines);
    },
    get families() {
      return readFamilies(text, parse(lines));
    },
    value: (name: string, labels: Readonly<Record<string, string>> = {}) =>
      parse(lines.filter((line) => line.startsWith(name))).find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted),
      )?.value,
  };
}

function readSample(line: string): MetricSample | null {
  const [, name = '', labels = '', value = ''] = /^([a-z]\w*)(?:{(.*)})? (\S+)$/.exec(line) ?? [];
  if (name === '') return null;
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

function readFamilies(text: string, samples: readonly MetricSample[]): MetricFamily[] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const own = samples.filter(
        (sample) => sample.name.replace(/_(count|sum|bucket)$/, '') === name,
      );
      const labels = own.flatMap((sample) => Object.keys(sample.labels));
      return { name, type, help, labels: [...new Set(labels)].filter((label) => label !== 'le') };
    },
  );
}
