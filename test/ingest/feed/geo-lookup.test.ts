import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type KeyText, parseReadableKey } from '../../../domain/keys/key-text.ts';
import { type GeoLookup, geoLookup, openGeoDatabases } from '../../../ingest/flows/geo-lookup.ts';
import { labelFile } from '../../../ingest/labels/label-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { mmdbFile } from '../../support/files/mmdb-file.ts';
import { conn, connLog, importText, NOW, sums } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let folder: string;
let database: TestDatabase;

const country = (iso_code: string) => ({ country: { iso_code, names: { en: 'any' } } });

const system = (autonomous_system_number: number, name: string) => ({
  autonomous_system_number,
  autonomous_system_organization: name,
});

/** Gives the text "broken" in a database a type and size that do not go together. */
function damaged(file: Buffer): Buffer {
  file[file.indexOf('broken') - 1] = 0xcb;
  return file;
}

const FILES: Readonly<Record<string, Buffer>> = {
  'country.mmdb': mmdbFile('GeoLite2-Country', [
    { network: '198.51.100.0/24', record: country('DE') },
    { network: '203.0.113.0/24', record: country('US') },
    { network: '203.0.113.128/25', record: { registered_country: { iso_code: 'CA' } } },
    { network: '10.0.0.0/8', record: country('ZZ') },
    { network: '192.0.2.0/24', record: country('nowhere') },
    { network: '2001:db8::/32', record: country('FR') },
  ]),
  'asn.mmdb': mmdbFile('GeoLite2-ASN', [
    { network: '198.51.100.0/24', record: system(15_169, 'Example Networks, Inc.') },
    { network: '203.0.113.0/24', record: { autonomous_system_number: 4_200_000_000 } },
  ]),
  'flat.mmdb': mmdbFile(
    'ipinfo country_asn.mmdb',
    [
      {
        network: '198.51.100.0/24',
        record: { country: 'JP', asn: 'AS64496', as_name: 'Other Networks' },
      },
    ],
    4,
  ),
  'damaged.mmdb': damaged(
    mmdbFile('GeoLite2-Country', [
      { network: '203.0.113.0/24', record: country('GB') },
      { network: '198.51.100.0/24', record: country('broken') },
    ]),
  ),
  'domain.mmdb': mmdbFile('GeoIP2-Domain', [{ network: '10.0.0.0/8', record: { domain: 'a' } }]),
  'packed.mmdb.gz': gzipSync(mmdbFile('GeoLite2-Country', [])),
  'text.mmdb': Buffer.from('no database\n'),
  'empty.mmdb': Buffer.alloc(0),
};

const path = (name: string): string => join(folder, name);

const openLookup = async (files: readonly string[]): Promise<GeoLookup> =>
  geoLookup(await openGeoDatabases(files), (error) => {
    throw error;
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-mmdb-'));
  for (const [name, content] of Object.entries(FILES)) await writeFile(path(name), content);
});
afterAll(() => rm(folder, { recursive: true }));

function address(text: string): KeyText {
  const key = parseReadableKey('ip', text);
  if (key === null) throw new Error(`${text} is not an address`);
  return key;
}

describe('the place of an address', () => {
  it.each([
    ['198.51.100.1', 'DE', { key: '00.00.3B.41', name: 'Example Networks, Inc.' }],
    ['203.0.113.127', 'US', { key: 'FA.56.EA.00', name: null }],
    ['203.0.113.128', 'CA', { key: 'FA.56.EA.00', name: null }],
    ['192.0.2.1', null, null],
    ['8.8.8.8', null, null],
    ['2001:db8::1', 'FR', null],
    ['2001:db9::1', null, null],
  ])('%s is %s', async (text, countryKey, systemKey) => {
    const { geoOf } = await openLookup([path('country.mmdb'), path('asn.mmdb')]);
    expect(geoOf(address(text))).toEqual({ country: countryKey, system: systemKey });
  });

  it('is found in databases of other makers, and in those of IPv4 only', async () => {
    const { geoOf, hasCountries, hasSystems } = await openLookup([path('flat.mmdb')]);
    expect([hasCountries, hasSystems]).toEqual([true, true]);
    const known = { country: 'JP', system: { key: '00.00.FB.F0', name: 'Other Networks' } };
    expect(geoOf(address('198.51.100.1'))).toEqual(known);
    expect(geoOf(address('2001:db8::1'))).toEqual({ country: null, system: null });
  });

  it('comes from the first database that has it', async () => {
    const { geoOf } = await openLookup([path('asn.mmdb'), path('flat.mmdb')]);
    expect(geoOf(address('198.51.100.1'))).toMatchObject({
      country: 'JP',
      system: { key: '00.00.3B.41' },
    });
  });
});

describe('a file that is not such a database', () => {
  it.each([
    ['missing.mmdb', /^cannot read .*missing\.mmdb: ENOENT/],
    ['text.mmdb', /text\.mmdb must be a database in MaxMind's format \(\.mmdb, unpacked\)/],
    ['empty.mmdb', /empty\.mmdb must be a database in MaxMind's format/],
    ['packed.mmdb.gz', /packed\.mmdb\.gz must be a database in MaxMind's format/],
    [
      'domain.mmdb',
      /domain\.mmdb must be a database of countries or of autonomous systems, .* it is "GeoIP2-Domain"/,
    ],
  ])('%s is refused', async (name, reason) => {
    await expect(openGeoDatabases([path(name)])).rejects.toThrow(reason);
  });
});

describe('a damaged database', () => {
  const DAMAGED =
    /^.*damaged\.mmdb is damaged, and an entry .* download it again, or leave it out of/;

  it('stops an import with its name', async () => {
    const { geoOf } = await openLookup([path('damaged.mmdb')]);
    expect(geoOf(address('8.8.8.8')).country).toBeNull();
    expect(() => geoOf(address('198.51.100.1'))).toThrow(DAMAGED);
  });

  it('is reported once if that is enough, and not used again', async () => {
    const told: string[] = [];
    const databases = await openGeoDatabases(['damaged.mmdb', 'country.mmdb'].map(path));
    const { geoOf } = geoLookup(databases, ({ message }) => told.push(message));
    expect(geoOf(address('203.0.113.1')).country).toBe('GB');
    expect(geoOf(address('198.51.100.1')).country).toBe('DE');
    expect(geoOf(address('203.0.113.2')).country).toBe('US');
    expect(told).toEqual([expect.stringMatching(DAMAGED)]);
  });
});

describe('an import with places', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function importWith(names: readonly string[], ...lines: string[]): Promise<void> {
    const geo = await openLookup(names.map(path));
    await importText(connLog(...lines), { databaseUrl: database.url, geo });
  }

  const BOTH = ['country.mmdb', 'asn.mmdb'];

  const placeSums = async () =>
    Object.fromEntries(
      Object.entries(await sums(database.url)).filter(([name]) => /^(Country|ASN) /.test(name)),
    );

  it('counts external addresses, each in the same way as a host', async () => {
    await importWith(
      BOTH,
      conn(NOW, { from: '10.0.0.1', to: '198.51.100.1', bytes: '100\t1000' }),
      conn(NOW, { from: '198.51.100.2', to: '203.0.113.1', bytes: '7\t70' }),
      conn(NOW, { from: '10.0.0.1', to: '10.0.0.2', bytes: '5\t5' }),
      conn(NOW, { from: '10.0.0.1', to: '8.8.8.8', bytes: '5\t5' }),
    );
    // Total, received, transmitted, packets, new connections.
    const expected = {
      DE: ['1177', '170', '1007', '0', '2'],
      US: ['77', '7', '70', '0', '1'],
    };
    const all = await placeSums();
    for (const [key, values] of Object.entries(expected)) {
      expect([1, 2, 3, 4, 5].map((slot) => all[`Country ${key} ${slot}`])).toEqual(values);
    }
    expect(all['ASN 00.00.3B.41 1']).toBe('1177');
    expect(all['ASN FA.56.EA.00 1']).toBe('77');
    expect(new Set(Object.keys(all).map((name) => name.split(' ')[1]))).toEqual(
      new Set(['DE', 'US', '00.00.3B.41', 'FA.56.EA.00']),
    );
  });

  it('makes the groups that its databases can fill, with keys of their kind', async () => {
    await importWith(['country.mmdb'], conn(NOW));
    const groups = () =>
      rowsOf(
        database.url,
        `select guid::text, name, key_kind, bucket_size, topper_bucket_size from counter_groups
         where name in ('Country', 'ASN') order by name desc`,
      );
    const sizes = { bucket_size: 60, topper_bucket_size: 300 };
    const countries = {
      guid: '7a0c1b52-5d34-4b1e-9c1b-6d0b6e1f0a03',
      name: 'Country',
      key_kind: 'country',
      ...sizes,
    };
    expect(await groups()).toEqual([countries]);
    await importWith(['asn.mmdb'], conn(NOW + 1));
    const systems = {
      guid: '7a0c1b52-5d34-4b1e-9c1b-6d0b6e1f0a04',
      name: 'ASN',
      key_kind: 'asn',
      ...sizes,
    };
    expect(await groups()).toEqual([countries, systems]);
  });

  const label = async () =>
    rowsOf(database.url, `select label, label_source from key_texts where key = '00.00.3B.41'`);

  it('names autonomous systems, but not those that a user has named', async () => {
    await importWith(BOTH, conn(NOW));
    const named = { label: 'Example Networks, Inc.', label_source: 'mmdb' };
    expect(await label()).toEqual([named]);
    await rowsOf(
      database.url,
      `update key_texts set label = 'older name' where label_source = 'mmdb'`,
    );
    await importWith(BOTH, conn(NOW + 1));
    expect(await label()).toEqual([named]);
    await labelFile({
      databaseUrl: database.url,
      context: 'lab',
      format: 'csv',
      source: textSource('AS15169,upstream\n'),
    });
    await importWith(BOTH, conn(NOW + 2));
    expect(await label()).toEqual([{ label: 'upstream', label_source: 'user' }]);
  });
});
