import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { existingKeys } from '../../store/read/existing-keys.ts';
import { fetchPages, type PageRequest } from '../../store/read/fetch-pages.ts';
import { findKeys } from '../../store/read/find-keys.ts';
import { CODEC } from '../segments/plain-segments.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import {
  DAY,
  DAY_START,
  importLists,
  openStoreLab,
  publish,
  type StoreLab,
  sample,
} from './store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

/** The address with this last byte, as `sample` makes it. */
const address = (host: number): string => sample(host, 0, 0).key;

const hostsAt = (bucket: number, hosts: readonly number[]) =>
  hosts.map((host) => sample(host, bucket, 1));

/** Fetches pages, and counts them and the statements. */
function countingFetch() {
  const counts = { statements: 0, pages: 0 };
  const fetch = (requests: readonly PageRequest[]) => {
    counts.statements += 1;
    counts.pages += requests.reduce((sum, { pages }) => sum + [...pages].length, 0);
    return fetchPages(copiesOf(lab.reader), requests);
  };
  return { counts, fetch };
}

const ALL = Array.from({ length: 256 }, (_, host) => host);

async function find(hosts: readonly number[], maxPages?: number) {
  const { segments } = await lab.manifest();
  const { counts, fetch } = countingFetch();
  const found = await findKeys({
    segments: segments.values(),
    missing: [{ groupId: 1, codec: CODEC, keys: hosts.map(address) }],
    fetch,
    ...(maxPages === undefined ? {} : { maxPages }),
  });
  return { keys: [...(found.get(1) ?? [])].sort(), counts };
}

describe('keys that are looked up in segments', () => {
  it('are found if any of the segments has them, however many statements it takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(fc.nat({ max: 255 }), { minLength: 1, maxLength: 80 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.constantFrom(1, 2, undefined),
        async (lists, maxPages) => {
          const added = await importLists(
            lab.importer,
            lists.map((hosts, i) => ({
              list: hostsAt(DAY_START + i * DAY, hosts),
              scope: { sliceId: 1 + i, level: i % 2 === 0 ? 0 : SEALED_LEVEL },
            })),
          );
          const { keys } = await find(ALL, maxPages);
          expect(keys).toEqual([...new Set(lists.flat())].map(address).sort());
          await inTransaction(lab.importer, () =>
            publish(lab.importer, { removed: added.map(({ segmentId }) => segmentId) }),
          );
        },
      ),
      { numRuns: Math.ceil(FUZZ_CASES / 6) },
    );
  });

  it('take one statement, or none if the directories are enough', async () => {
    await importLists(lab.importer, [
      { list: hostsAt(DAY_START, [10, 20, 30, 40, 50]) },
      { list: hostsAt(DAY_START + DAY, [15, 25, 35]), scope: { sliceId: 2 } },
    ]);
    const mixed = await find([20, 22, 25, 40, 41]);
    expect(mixed.keys).toEqual([20, 25, 40].map(address));
    expect(mixed.counts.statements).toBe(1);
    const named = await find([10, 15, 35, 50, 9, 51]);
    expect(named.keys).toEqual([10, 15, 35, 50].map(address));
    expect(named.counts.statements).toBe(0);
  });

  it('are looked up in the newest segments first, and only until they are found', async () => {
    await importLists(
      lab.importer,
      [0, 1, 2].map((day) => ({
        list: hostsAt(DAY_START + day * DAY, [1, 5, 9]),
        scope: { sliceId: 1 + day },
      })),
    );
    const { keys, counts } = await find([5], 1);
    expect(keys).toEqual([address(5)]);
    expect(counts).toEqual({ statements: 1, pages: 1 });
  });

  it('are not found if they are not keys of the group, or only of another group', async () => {
    await importLists(lab.importer, [{ list: hostsAt(DAY_START, [1, 2, 3]) }]);
    const { segments } = await lab.manifest();
    const found = await findKeys({
      segments: segments.values(),
      missing: [
        { groupId: 1, codec: CODEC, keys: ['no address', address(2)] },
        { groupId: 2, codec: CODEC, keys: [address(2)] },
      ],
      fetch: (requests) => fetchPages(copiesOf(lab.reader), requests),
    });
    expect([...found]).toEqual([
      [1, new Set([address(2)])],
      [2, new Set()],
    ]);
  });
});

describe('a key', () => {
  const exist = async (hosts: readonly number[]) => {
    const { segments } = await lab.manifest();
    const { counts, fetch } = countingFetch();
    let statements = 0;
    const existing = await existingKeys({
      segments: segments.values(),
      missing: [{ groupId: 1, codec: CODEC, keys: hosts.map(address) }],
      fetch,
      session: {
        read: async <Row>({ text, values = [] }: { text: string; values?: readonly unknown[] }) => {
          statements += 1;
          return (await lab.reader.query(text, [...values])).rows as Row[];
        },
      },
    });
    return { keys: [...(existing.get(1) ?? [])].sort(), statements, pages: counts.statements };
  };

  const setTexts = (host: number, columns: string, values: string) =>
    lab.importer.query(
      `insert into key_texts (group_id, key, ${columns}) values (1, $1, ${values})`,
      [address(host)],
    );

  it('exists if an available slice has it, or if a user gave it any text', async () => {
    await importLists(lab.importer, [{ list: hostsAt(DAY_START, [1, 2, 3]) }]);
    await setTexts(10, 'label, label_source', `'typed', 'user'`);
    await setTexts(11, 'description', `'typed'`);
    await setTexts(12, 'attributes', `'{"rack": 7}'`);
    await setTexts(13, 'label, label_source, description', `'found', 'dns', 'typed'`);
    expect(await exist([2, 10, 11, 12, 13, 99])).toEqual({
      keys: [2, 10, 11, 12, 13].map(address),
      statements: 1,
      pages: 1,
    });
  });

  it('does not exist just because DNS answers or a MaxMind file gave it a label', async () => {
    await importLists(lab.importer, [{ list: hostsAt(DAY_START, [1, 2, 3]) }]);
    await setTexts(10, 'label, label_source', `'found', 'dns'`);
    await setTexts(11, 'label, label_source', `'found', 'mmdb'`);
    await setTexts(2, 'label, label_source', `'found', 'mmdb'`);
    expect((await exist([2, 10, 11])).keys).toEqual([address(2)]);
  });

  it('no longer exists once its last segment is dead', async () => {
    const [first] = await importLists(lab.importer, [
      { list: hostsAt(DAY_START, [1, 2, 3]) },
      { list: hostsAt(DAY_START + DAY, [2, 3, 4]), scope: { sliceId: 2 } },
    ]);
    await inTransaction(lab.importer, () =>
      publish(lab.importer, { removed: [first?.segmentId ?? 0] }),
    );
    expect((await exist([1, 2, 3, 4])).keys).toEqual([2, 3, 4].map(address));
  });

  it('costs no statement if it is not asked for', async () => {
    expect(await exist([])).toEqual({ keys: [], statements: 0, pages: 0 });
  });
});
