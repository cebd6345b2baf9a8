import { describe, expect, it } from 'vitest';
import type { ExporterRow } from '../../../db/sql/exporters.ts';
import { changedExporters } from '../../../ingest/feed/changed-exporters.ts';

const exporter = (address: string, flows: number): ExporterRow => ({
  address,
  protocols: ['netflow9'],
  firstSeen: new Date(0),
  lastSeen: new Date(flows),
  flows,
  lostFlows: 0,
  lostPackets: 0,
  lostDatagrams: 0,
  refused: {},
  waitingForTemplate: 0,
  samplingRates: [1],
  clockAheadSeconds: null,
  doubts: [],
});

const A = exporter('192.0.2.1', 1);
const B = exporter('192.0.2.2', 1);
const MORE_OF_A = exporter('192.0.2.1', 2);

describe('what a commit stores of exporters', () => {
  it('is all of them at first, and then only those of which something is new', () => {
    const exporters = changedExporters();
    expect(exporters.of([A, B])).toEqual({ changed: [A, B], gone: [] });
    exporters.commit();
    expect(exporters.of([A, B])).toEqual({ changed: [], gone: [] });
    exporters.commit();
    expect(exporters.of([MORE_OF_A, B])).toEqual({ changed: [MORE_OF_A], gone: [] });
  });

  it('is found again if the transaction was rolled back', () => {
    const exporters = changedExporters();
    exporters.of([A, B]);
    expect(exporters.of([A, B])).toEqual({ changed: [A, B], gone: [] });
    exporters.commit();
    exporters.of([MORE_OF_A]);
    expect(exporters.of([MORE_OF_A])).toEqual({ changed: [MORE_OF_A], gone: ['192.0.2.2'] });
  });

  it('names those that are stored and were forgotten, once', () => {
    const exporters = changedExporters();
    exporters.of([A, B]);
    exporters.commit();
    expect(exporters.of([B])).toEqual({ changed: [], gone: ['192.0.2.1'] });
    exporters.commit();
    expect(exporters.of([B])).toEqual({ changed: [], gone: [] });
    exporters.commit();
    expect(exporters.of([A, B])).toEqual({ changed: [A], gone: [] });
  });
});
