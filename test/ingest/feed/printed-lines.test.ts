import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { importText, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('what nfdump prints without flows', () => {
  const EMPTY = 'ts,te,td,sa,da,sp,dp,pr,ipkt,ibyt\nNo matching flows\n';

  it.each([
    ['a filter without a match', EMPTY, /^flows\.csv: it is empty: nfdump found no flows: .*/],
    ['no output at all', '', /^flows\.csv: it is empty: nfdump wrote nothing, not even a header/],
  ])('is refused unless that is allowed: %s', async (_, text, reason) => {
    const before = await traces(database.url);
    const source = textSource(text, { name: 'flows.csv' });
    const options = { databaseUrl: database.url, format: 'nfdump' } as const;
    await expect(importText(source, options)).rejects.toThrow(reason);
    await expect(importText(source, options)).rejects.toThrow('--allow-empty accepts');
    expect(await traces(database.url)).toEqual(before);
    const allowed = { ...options, allowEmpty: true, context: 'empty' };
    // An empty file has nothing that could be counted twice.
    for (let time = 0; time < 2; time += 1) {
      expect(await importText(source, allowed)).toMatchObject({ records: 0, readings: 0 });
    }
  });

  it('fails a feed, unless that is allowed or the feed is told to stop', async () => {
    const feedOf = (allowEmpty: boolean) => {
      const feed = startFeed({ databaseUrl: database.url, format: 'nfdump', allowEmpty });
      feed.write(EMPTY);
      return feed;
    };
    const refused = feedOf(false);
    refused.end();
    await expect(refused.done).rejects.toThrow('the feed: it is empty: nfdump found no flows');
    const allowed = feedOf(true);
    allowed.end();
    expect(await allowed.done).toMatchObject({ flows: 0, commits: 0 });
    const stopped = feedOf(false);
    stopped.stop();
    expect(await stopped.done).toMatchObject({ flows: 0 });
  });
});

describe('a line of pmacct without addresses', () => {
  it.each<[string, object, Record<string, string>]>([
    ['nothing else', {}, {}],
    ['a protocol', { ip_proto: 'tcp' }, { 'Protocols 06 1': '900' }],
    ['ports', { port_src: 50_000, port_dst: 443 }, {}],
    [
      'both',
      { ip_proto: 'tcp', port_src: 443, port_dst: 50_000 },
      { 'Protocols 06 1': '900', 'Apps 01.BB 1': '900' },
    ],
  ])('fills the total, and groups of what else it has: %s', async (name, fields, groups) => {
    const line = { ...fields, stamp_inserted: '2023-11-14 22:15:00', packets: 3, bytes: 900 };
    const context = `without addresses, with ${name}`;
    await importText(textSource(`${JSON.stringify(line)}\n`), {
      databaseUrl: database.url,
      format: 'pmacct',
      context,
    });
    const all = Object.entries(await sums(database.url, context));
    const bytes = all.filter(([key]) => key.endsWith(' 1'));
    expect(Object.fromEntries(bytes)).toEqual({ 'Aggregates TOTALBW 1': '900', ...groups });
  });
});
