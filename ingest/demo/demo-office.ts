import { type KeyText, parseReadableKey } from '../../domain/keys/key-text.ts';
import type { Random } from './random.ts';

/** A host of the demo. The IPv6 address, the name and the attributes are optional. */
export type DemoHost = {
  readonly ipv4: KeyText;
  readonly ipv6: KeyText | null;
  readonly name: string | null;
  readonly attributes: Readonly<Record<string, string>> | null;
};

/** The demo's office and the world around it. Each list holds the hosts with one purpose. */
export type DemoOffice = {
  readonly workstations: readonly DemoHost[];
  readonly guests: readonly DemoHost[];
  readonly phones: readonly DemoHost[];
  readonly printers: readonly DemoHost[];
  readonly servers: Readonly<Record<ServerName, DemoHost>>;
  /** External services by name, with several hosts each. */
  readonly services: Readonly<Record<ServiceName, readonly DemoHost[]>>;
  /** External hosts that nobody knows: visitors of the web site, the long tail of the web. */
  readonly strangers: readonly DemoHost[];
};

const DEPARTMENTS = ['sales', 'design', 'engineering', 'finance', 'support', 'operations'];
const SYSTEMS = ['Windows 11', 'macOS 15', 'Ubuntu 24.04'];

const SERVERS = [
  'directory',
  'files',
  'mail',
  'www',
  'git',
  'builds',
  'database',
  'backup',
  'monitor',
  'telephony',
] as const;

export type ServerName = (typeof SERVERS)[number];

/** Domains of RFC 2606, and the number of hosts of each service. */
const SERVICES = {
  video: { domain: 'video.example.net', hosts: 40 },
  cloud: { domain: 'cloud.example.com', hosts: 32 },
  search: { domain: 'search.example.org', hosts: 12 },
  social: { domain: 'social.example.org', hosts: 24 },
  news: { domain: 'news.example.com', hosts: 20 },
  ads: { domain: 'ads.example.net', hosts: 60 },
  updates: { domain: 'updates.example.org', hosts: 16 },
  packages: { domain: 'packages.example.org', hosts: 10 },
  meetings: { domain: 'meetings.example.net', hosts: 18 },
  mailbox: { domain: 'mail.example.net', hosts: 8 },
  vault: { domain: 'vault.example.com', hosts: 4 },
  resolver: { domain: 'dns.example.net', hosts: 2 },
  time: { domain: 'time.example.org', hosts: 4 },
  partner: { domain: 'vpn.partner.example', hosts: 2 },
} as const;

export type ServiceName = keyof typeof SERVICES;

const STRANGERS = 3_000;

export function createOffice(random: Random): DemoOffice {
  const servers = SERVERS.map((name, i) => [
    name,
    inside(0, i + 10, `${name}.office.example.com`, { role: 'server', room: 'server room' }),
  ]);
  const services = Object.entries(SERVICES).map(([name, { domain, hosts }], service) => [
    name,
    Array.from({ length: hosts }, (_, i) => serviceHost(service, i, domain)),
  ]);
  return {
    workstations: DEPARTMENTS.flatMap((department, i) => workstationsOf(department, i + 1, random)),
    guests: Array.from({ length: 60 }, (_, i) => inside(40, i + 20, null, null)),
    phones: Array.from({ length: 40 }, (_, i) =>
      inside(11, i + 10, `phone-${100 + i}.office.example.com`, { role: 'telephone' }),
    ),
    printers: Array.from({ length: 8 }, (_, i) =>
      inside(10, i + 10, `printer-${i + 1}.office.example.com`, { role: 'printer' }),
    ),
    servers: Object.fromEntries(servers) as Record<ServerName, DemoHost>,
    services: Object.fromEntries(services) as Record<ServiceName, DemoHost[]>,
    strangers: Array.from({ length: STRANGERS }, () => stranger(random)),
  };
}

function workstationsOf(department: string, subnet: number, random: Random): DemoHost[] {
  return Array.from({ length: 36 }, (_, i) => {
    const number = String(i + 1).padStart(2, '0');
    const name = `${department}-${number}.office.example.com`;
    return inside(subnet, i + 20, name, {
      department,
      system: random.pick(SYSTEMS),
      floor: String(1 + (subnet % 3)),
    });
  });
}

/** Creates a host with addresses of RFC 1918 and RFC 4193. */
const inside = (
  subnet: number,
  host: number,
  name: string | null,
  attributes: DemoHost['attributes'],
): DemoHost => ({
  ipv4: address(`10.20.${subnet}.${host}`),
  ipv6: address(`fd20:0:0:${subnet.toString(16)}::${host.toString(16)}`),
  name,
  attributes,
});

/**
 * Creates a host with addresses reserved for benchmarks (RFC 2544) and documentation (RFC 3849),
 * which belong to nobody.
 */
const serviceHost = (service: number, i: number, domain: string): DemoHost => ({
  ipv4: address(`198.18.${service}.${i + 10}`),
  ipv6: address(`2001:db8:${service.toString(16)}::${(i + 1).toString(16)}`),
  name: `edge-${String(i + 1).padStart(2, '0')}.${domain}`,
  attributes: null,
});

function stranger(random: Random): DemoHost {
  const third = random.below(256);
  const fourth = 1 + random.below(254);
  return {
    ipv4: address(`198.19.${third}.${fourth}`),
    ipv6: null,
    // Providers name their customers' addresses; many other addresses have no name at all.
    name: fourth % 5 < 2 ? `host-198-19-${third}-${fourth}.provider.example` : null,
    attributes: null,
  };
}

function address(text: string): KeyText {
  const key = parseReadableKey('ip', text);
  if (key === null) throw new Error(`${text} is not an address`);
  return key;
}
