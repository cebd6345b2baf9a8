import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deleteSweptPages, selectStrayPages } from '../../../db/sql/pages.ts';
import { openIn, openPageLab, type PageLab, sealedIn } from './page-lab.ts';

let lab: PageLab;

beforeAll(async () => {
  lab = await openPageLab();
});

afterEach(() => lab.empty());

afterAll(() => lab.close());

describe('stray pages', () => {
  it('are sealed pages without a segment, in a slice that has a sealed segment', async () => {
    await lab.add(lab.segment(1, { ...sealedIn(81), pageCount: 2 }));
    await lab.store(sealedIn(81), 1, 2);
    await lab.store(sealedIn(81), 2, 3);
    await lab.store(sealedIn(82), 3, 1);
    await lab.store(openIn(81), 4, 1);
    expect(await selectStrayPages(lab.connection, [81, 82])).toEqual([
      { sliceId: 81, segmentId: 2, pages: 3, isBeyond: false },
    ]);
  });

  it('are pages beyond the end of a live segment, open or sealed', async () => {
    await lab.add(
      lab.segment(1, { ...openIn(81), pageCount: 2 }),
      lab.segment(2, { ...sealedIn(81), pageCount: 1 }),
      lab.segment(3, { ...openIn(81), pageCount: 1 }),
    );
    await lab.kill(3);
    await lab.store(openIn(81), 1, 3);
    await lab.store(sealedIn(81), 2, 4);
    await lab.store(openIn(81), 3, 2);
    expect(await selectStrayPages(lab.connection, [81])).toEqual([
      { sliceId: 81, segmentId: 1, pages: 1, isBeyond: true },
      { sliceId: 81, segmentId: 2, pages: 3, isBeyond: true },
    ]);
  });

  it('are looked for only in the given slices', async () => {
    await lab.add(lab.segment(1, sealedIn(81)), lab.segment(2, sealedIn(82)));
    await lab.store(sealedIn(81), 1, 2);
    await lab.store(sealedIn(82), 2, 3);
    expect(await selectStrayPages(lab.connection, [82])).toEqual([
      { sliceId: 82, segmentId: 2, pages: 2, isBeyond: true },
    ]);
    expect(await selectStrayPages(lab.connection, [])).toEqual([]);
  });
});

describe('pages of swept segments', () => {
  const segmentsWithPages = async (): Promise<number[]> =>
    (
      await lab.rowsOf<{ id: number }>(
        `select distinct segment_id::int as id from (
           select segment_id from sealed_segment_pages
           union all select segment_id from open_segment_pages) p
         order by 1`,
      )
    ).map(({ id }) => id);

  it('are removed from slices that have a sealed segment, even a dead one', async () => {
    await lab.add(lab.segment(1, sealedIn(81)));
    await lab.kill(1);
    await lab.store(sealedIn(81), 1, 1);
    await lab.store(sealedIn(81), 2, 2);
    await lab.store(sealedIn(81), 3, 1);
    await deleteSweptPages(lab.connection, [{ segmentId: 2, sliceId: 81 }]);
    expect(await segmentsWithPages()).toEqual([1, 3]);
  });

  it('stay in a slice without a sealed segment, and so do open pages', async () => {
    await lab.add(lab.segment(1, sealedIn(81)), lab.segment(2, openIn(82)));
    await lab.store(openIn(81), 3, 1);
    await lab.store(sealedIn(82), 4, 1);
    await deleteSweptPages(lab.connection, [
      { segmentId: 3, sliceId: 81 },
      { segmentId: 4, sliceId: 82 },
    ]);
    expect(await segmentsWithPages()).toEqual([3, 4]);
  });
});
