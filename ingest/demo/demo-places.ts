import { type KeyText, parseReadableKey } from '../../domain/keys/key-text.ts';
import type { AddressGeo, GeoLookup } from '../flows/geo-lookup.ts';
import type { DemoHost, DemoOffice, ServiceName } from './demo-office.ts';

type Place = readonly [country: string, asn: number, name: string];

/** Made up: systems of numbers reserved for documentation (RFC 5398). */
const SERVICE_PLACES: Readonly<Record<ServiceName, Place>> = {
  video: ['US', 64496, 'Example Video'],
  cloud: ['IE', 64497, 'Example Cloud'],
  search: ['US', 64498, 'Example Search'],
  social: ['US', 64499, 'Example Social'],
  news: ['GB', 64500, 'Example News'],
  ads: ['NL', 64501, 'Example Ads'],
  updates: ['US', 64502, 'Example Updates'],
  packages: ['SE', 64503, 'Example Packages'],
  meetings: ['NL', 64504, 'Example Meetings'],
  mailbox: ['CH', 64505, 'Example Mail'],
  vault: ['FI', 64506, 'Example Vault'],
  resolver: ['DE', 64507, 'Example Provider'],
  time: ['DE', 64507, 'Example Provider'],
  partner: ['FR', 64508, 'Example Partner'],
};

const STRANGER_PLACES: readonly Place[] = [
  ['DE', 64509, 'Example Fibre'],
  ['FR', 64510, 'Example Mobile'],
  ['PL', 64511, 'Example Cable'],
  ['BR', 65536, 'Example Telecom'],
  ['IN', 65537, 'Example Broadband'],
  ['JP', 65538, 'Example Networks'],
];

const NOWHERE: AddressGeo = { country: null, system: null };

/** Locates the hosts around the office, as databases of addresses would. */
export function demoPlaces({ services, strangers }: DemoOffice): GeoLookup {
  const places = new Map<KeyText, AddressGeo>();
  const locate = ({ ipv4, ipv6 }: DemoHost, place: Place | undefined) => {
    const geo = place ? geoOf(place) : NOWHERE;
    places.set(ipv4, geo);
    if (ipv6 !== null) places.set(ipv6, geo);
  };
  for (const [name, place] of Object.entries(SERVICE_PLACES)) {
    for (const host of services[name as ServiceName]) locate(host, place);
  }
  for (const [i, host] of strangers.entries()) {
    // The first are the busiest: most visitors come from nearby.
    locate(host, STRANGER_PLACES[i % 3 === 0 ? i % STRANGER_PLACES.length : 0]);
  }
  return {
    hasCountries: true,
    hasSystems: true,
    geoOf: (address) => places.get(address) ?? NOWHERE,
  };
}

function geoOf([country, asn, name]: Place): AddressGeo {
  const key = parseReadableKey('asn', `AS${asn}`);
  return {
    country: parseReadableKey('country', country),
    system: key && { key, name },
  };
}
