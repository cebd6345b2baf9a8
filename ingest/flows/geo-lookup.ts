import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'maxmind';
import { shown } from '../../domain/errors.ts';
import { formatReadable, type KeyText, parseReadableKey } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isStorable } from '../../domain/text/storable-text.ts';
import { boundedCache } from '../bounded-cache.ts';
import { IngestError } from '../ingest-error.ts';

/** An autonomous system: its raw key, and its operator. */
type GeoSystem = { readonly key: KeyText; readonly name: string | null };

/** The country and the autonomous system of an address; null: not known. */
export type AddressGeo = { readonly country: KeyText | null; readonly system: GeoSystem | null };

/** What the databases of one import know. */
export type GeoLookup = {
  /** Whether any database has countries, and whether any has autonomous systems. */
  readonly hasCountries: boolean;
  readonly hasSystems: boolean;
  /** Looks up an address, given as a raw key of kind `ip`. */
  readonly geoOf: (address: KeyText) => AddressGeo;
};

/** Opens databases in MaxMind's format. */
export const openGeoDatabases = (files: readonly string[]): Promise<GeoDatabase[]> =>
  Promise.all(files.map(openDatabase));

/**
 * Returns what the databases know. If several know an answer, the first one counts. Once a database
 * turns out to be damaged, `onDamaged` is called and may throw; otherwise it is no longer used.
 */
export function geoLookup(
  databases: readonly GeoDatabase[],
  onDamaged: (error: IngestError) => void,
): GeoLookup {
  const damaged = new Set<GeoDatabase>();
  const recordIn = (database: GeoDatabase, address: string): unknown => {
    if (damaged.has(database)) return null;
    try {
      return database.recordOf(address);
    } catch (error) {
      onDamaged(damagedDatabase(database.file, error));
      damaged.add(database);
      return null;
    }
  };
  const withCountries = databases.filter(({ kinds }) => kinds.countries);
  const withSystems = databases.filter(({ kinds }) => kinds.systems);
  const geoOf = boundedCache(LIMITS.importKnownAddresses, (address: KeyText): AddressGeo => {
    const text = formatReadable('ip', address);
    return {
      country: firstOf(withCountries, (database) => countryOf(recordIn(database, text))),
      system: firstOf(withSystems, (database) => systemOf(recordIn(database, text))),
    };
  });
  return {
    hasCountries: withCountries.length > 0,
    hasSystems: withSystems.length > 0,
    geoOf,
  };
}

/** The reader's own message is about its bytes, which helps nobody. */
const damagedDatabase = (file: string, cause: unknown): IngestError =>
  new IngestError(
    `${file} is damaged, and an entry in it cannot be read: download it again, or leave it out of --mmdb`,
    { cause },
  );

function firstOf<T, R>(list: readonly T[], find: (each: T) => R | null): R | null {
  for (const each of list) {
    const found = find(each);
    if (found !== null) return found;
  }
  return null;
}

type Kinds = { readonly countries: boolean; readonly systems: boolean };

export type GeoDatabase = {
  readonly file: string;
  readonly kinds: Kinds;
  /** Errors: those of the reader, if the file is damaged. */
  readonly recordOf: (address: string) => unknown;
};

async function openDatabase(file: string): Promise<GeoDatabase> {
  const reader = await openReader(file);
  const { databaseType, ipVersion } = reader.metadata;
  const kinds = {
    countries: /country|city|enterprise|insights/i.test(databaseType),
    systems: /asn|isp|enterprise|insights/i.test(databaseType),
  };
  if (!kinds.countries && !kinds.systems) {
    throw new IngestError(
      `${file} must be a database of countries or of autonomous systems, ` +
        `such as GeoLite2-Country and GeoLite2-ASN, but it is ${shown(databaseType)}`,
    );
  }
  const isForIpv4 = ipVersion === 4;
  return {
    file,
    kinds,
    recordOf: (address) => (isForIpv4 && address.includes(':') ? null : reader.get(address)),
  };
}

async function openReader(file: string): Promise<Reader<Response>> {
  const content = await readFile(file).catch((error: Error) => {
    throw new IngestError(`cannot read ${file}: ${error.message}`, { cause: error });
  });
  try {
    return new Reader<Response>(content);
  } catch (error) {
    throw new IngestError(
      `${file} must be a database in MaxMind's format (.mmdb, unpacked), but it cannot be read as one`,
      { cause: error },
    );
  }
}

/** Returns the value at a path of names within a record; undefined if the path ends early. */
const at = (record: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined,
    record,
  );

/**
 * Returns the country of a record. MaxMind and DB-IP write `country.iso_code`; others write a code
 * alone.
 */
function countryOf(record: unknown): KeyText | null {
  const code =
    at(record, 'country', 'iso_code') ??
    at(record, 'registered_country', 'iso_code') ??
    at(record, 'country_code') ??
    at(record, 'country');
  return typeof code === 'string' ? parseReadableKey('country', code) : null;
}

/**
 * Returns the autonomous system of a record. MaxMind and DB-IP write a number; others write
 * `AS15169`.
 */
function systemOf(record: unknown): GeoSystem | null {
  const number = at(record, 'autonomous_system_number') ?? at(record, 'asn');
  const text = typeof number === 'number' ? `AS${number}` : number;
  const key = typeof text === 'string' ? parseReadableKey('asn', text) : null;
  if (key === null) return null;
  const name = at(record, 'autonomous_system_organization') ?? at(record, 'as_name');
  return { key, name: typeof name === 'string' && name !== '' && isStorable(name) ? name : null };
}
