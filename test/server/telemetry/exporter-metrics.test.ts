import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ExporterRow } from '../../../db/sql/exporters.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { exporter, hearExporters } from '../../support/lab/hear-exporters.ts';
import { group, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

beforeEach(() => lab.sql('delete from feeds'));

/** The samples of exporters once these are heard, as the labels besides the context, and values. */
async function heard(exporters: readonly ExporterRow[]) {
  await hearExporters(lab.databaseUrl, { context: CONTEXT, exporters });
  await lab.mergeNow();
  const { samples } = readMetrics((await lab.call('/metrics')).text);
  const shortened = samples.flatMap(({ name, labels, value }) => {
    const [, metric] = /^countergraph_exporter_(\w+)$/.exec(name) ?? [];
    if (!metric) return [];
    const { context, ...rest } = labels;
    expect(context).toBe(CONTEXT);
    return [[`${metric} ${Object.values(rest).join(' ')}`, value] as const];
  });
  return Object.fromEntries(shortened);
}

it('exporters have their counts by unit and reason, and how they are', async () => {
  const router = exporter('192.0.2.1', {
    protocols: ['netflow5', 'ipfix', 'sflow'],
    flows: 7,
    lostFlows: 3,
    lostPackets: 9,
    refused: { badTime: 4 },
    waitingForTemplate: 2,
    samplingRates: [1, 1_000, 100],
    clockAheadSeconds: -1.5,
    doubts: ['One.', 'Two.'],
  });
  const quiet = exporter('::1', { protocols: ['later'], samplingRates: [] });
  expect(await heard([router, quiet])).toEqual({
    'flows_total 192.0.2.1': 7,
    'lost_total 192.0.2.1 flows': 3,
    // None of its protocols counts packets now, but one did.
    'lost_total 192.0.2.1 packets': 9,
    'lost_total 192.0.2.1 datagrams': 0,
    'refused_total 192.0.2.1 badTime': 4,
    'last_seen_timestamp_seconds 192.0.2.1': T0 + 60,
    'waiting_for_template 192.0.2.1': 2,
    'sampling_rate 192.0.2.1': 1_000,
    'clock_ahead_seconds 192.0.2.1': -1.5,
    'doubts 192.0.2.1': 2,
    'flows_total ::1': 1,
    'last_seen_timestamp_seconds ::1': T0 + 60,
    'waiting_for_template ::1': 0,
    'doubts ::1': 0,
  });
});

it('of exporters beyond the limit, only the sums of counts are told', async () => {
  const forged = Array.from({ length: LIMITS.metricNames + 20 }, (_, i) =>
    exporter(`198.51.${100 + Math.floor(i / 250)}.${i % 250}`, { flows: 1, lostPackets: 1 }),
  );
  const all = await heard([exporter('192.0.2.1', { flows: 9 }), ...forged]);
  const others = Object.entries(all).filter(([name]) => name.split(' ')[1] === 'other');
  expect(Object.fromEntries(others)).toEqual({
    'flows_total other': expect.any(Number),
    'lost_total other packets': expect.any(Number),
  });
  expect(all['flows_total 192.0.2.1']).toBe(9);
  const sum = (metric: string) =>
    Object.entries(all).reduce((n, [name, value]) => (name.startsWith(metric) ? n + value : n), 0);
  expect(sum('flows_total')).toBe(9 + forged.length);
  expect(sum('lost_total')).toBe(forged.length);
  const named = Object.keys(all).filter((name) => name.startsWith('doubts '));
  expect(named.length).toBeLessThanOrEqual(LIMITS.metricNames);
});
