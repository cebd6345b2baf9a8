import { describe, expect, it } from 'vitest';
import { changedExporters } from '../../../ingest/feed/changed-exporters.ts';
import { exporter } from '../../support/lab/hear-exporters.ts';

const A = exporter('192.0.2.1');
const B = exporter('192.0.2.2');
const MORE_OF_A = exporter('192.0.2.1', { flows: 2 });

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
