import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Copy, type CopySource, copiesOf } from '../../db/session/copy-source.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fetchPages } from '../../store/read/fetch-pages.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { importLists, minute, openStoreLab, type StoreLab } from './store-lab.ts';

let lab: StoreLab;
let segment: StoredSegment;

beforeEach(async () => {
  lab = await openStoreLab();
  await importLists(lab.importer, [{ list: minute(0) }]);
  const [only] = (await lab.manifest()).segments.values();
  if (!only) throw new Error('a segment was imported');
  segment = only;
});

afterEach(() => lab.close());

/** A worker that does not have the pages yet for the first `times` requests. */
function lateBy(times: number): CopySource & { readonly texts: readonly string[] } {
  const texts: string[] = [];
  const { copy } = copiesOf(lab.reader);
  const none = 'copy (select where false) to stdout (format binary)';
  const distributedPages = {
    copy({ text }: Copy) {
      texts.push(text);
      return copy({ text: texts.length > times ? text : none });
    },
  };
  return { copy, distributedPages, texts };
}

const first = () => [{ segment, pages: [0] }];

describe('a distributed page', () => {
  it('that arrives late is requested again', async () => {
    const worker = lateBy(2);
    const fetched = await fetchPages(worker, first());
    expect([...(fetched.get(segment.segmentId)?.keys() ?? [])]).toEqual([0]);
    expect(worker.texts).toHaveLength(3);
  });

  it('that is present is requested once', async () => {
    const worker = lateBy(0);
    await fetchPages(worker, first());
    expect(worker.texts).toHaveLength(1);
  });

  it('is read from its shard only: the query names its segment, and has no fence', async () => {
    const worker = lateBy(0);
    await fetchPages(worker, first());
    expect(worker.texts[0]).toContain(`t.segment_id = any('{${segment.segmentId}}'::bigint[])`);
    expect(worker.texts[0]).not.toMatch(/lateral|offset/);
  });

  it('that never arrives is reported as missing after a while', async () => {
    const started = performance.now();
    await expect(fetchPages(lateBy(Number.POSITIVE_INFINITY), first())).rejects.toThrow(
      `Page 0 of segment ${segment.segmentId} must exist`,
    );
    expect(performance.now() - started).toBeGreaterThanOrEqual(LIMITS.latePagesMs);
  });

  it('whose shard was just moved is requested again', async () => {
    const { copy } = copiesOf(lab.reader);
    let isMoved = false;
    const worker: CopySource = {
      copy,
      distributedPages: {
        copy({ text }) {
          const gone = {
            text: 'copy (select from open_segment_pages_1_102008) to stdout (format binary)',
          };
          const asked = isMoved ? { text } : gone;
          isMoved = true;
          return copy(asked);
        },
      },
    };
    expect((await fetchPages(worker, first())).size).toBe(1);
  });
});

describe.skipIf(isOnCluster)('a page of one server', () => {
  it('that is missing is reported at once', async () => {
    await lab.importer.query('delete from open_segment_pages');
    const started = performance.now();
    await expect(fetchPages(copiesOf(lab.reader), first())).rejects.toThrow('must exist');
    expect(performance.now() - started).toBeLessThan(LIMITS.latePagesMs);
  });
});
