import type { DemoHost, DemoOffice, ServerName, ServiceName } from './demo-office.ts';
import type { Random } from './random.ts';

type Choice = (office: DemoOffice, random: Random) => DemoHost;

/** One way in which the demo's office uses the network. */
export type Habit = {
  /** Flows per minute at the busiest time. */
  readonly rate: number;
  /** When it is active: in working hours, in visitors' evenings, at night, or always. */
  readonly clock: 'work' | 'visitors' | 'night' | 'always';
  readonly from: Choice;
  readonly to: Choice;
  readonly protocol: number;
  readonly ports: readonly number[];
  /** Medians of the bytes that each side sends, and of the duration. */
  readonly sent: number;
  readonly answered: number;
  readonly seconds: number;
  /** Fraction of the flows that use IPv6, from 0 to 1. */
  readonly ipv6: number;
};

const ICMP = 1;
const TCP = 6;
const UDP = 17;
const ESP = 50;

/**
 * Picks a host. Squaring a uniform random number favours the first ones, because some people work
 * more than others.
 */
const busy =
  (list: (office: DemoOffice) => readonly DemoHost[]): Choice =>
  (office, random) => {
    const hosts = list(office);
    const host = hosts[Math.floor(hosts.length * random.next() ** 2)];
    if (!host) throw new Error('there are no such hosts');
    return host;
  };

const worker = busy((office) => office.workstations);
const guest = busy((office) => office.guests);
const phone: Choice = (office, random) => random.pick(office.phones);
const printer: Choice = (office, random) => random.pick(office.printers);
const stranger = busy((office) => office.strangers);
const anyServer: Choice = (office, random) => random.pick(Object.values(office.servers));
/** Any server but one. */
const serverBut =
  (name: ServerName): Choice =>
  ({ servers }, random) =>
    random.pick(Object.values(servers).filter((host) => host !== servers[name]));
const server =
  (name: ServerName): Choice =>
  (office) =>
    office.servers[name];
const service = (name: ServiceName): Choice => busy((office) => office.services[name]);

type HabitRow = readonly [
  rate: number,
  clock: Habit['clock'],
  from: Choice,
  to: Choice,
  protocol: number,
  ports: readonly number[],
  sent: number,
  answered: number,
  seconds: number,
  ipv6: number,
];

const KIB = 1024;
const MIB = 1024 * KIB;

// biome-ignore format: a table is easier to compare.
const ROWS: readonly HabitRow[] = [
  // In the order of HabitRow.
  [14, 'work',     worker,              service('cloud'),     TCP, [443],        9 * KIB, 60 * KIB, 12, 0.2],
  [8,  'work',     worker,              service('search'),    TCP, [443],        4 * KIB, 30 * KIB, 4, 0.5],
  [9,  'work',     worker,              service('ads'),       TCP, [443, 443, 80], 3 * KIB, 12 * KIB, 3, 0.1],
  [6,  'work',     worker,              service('social'),    UDP, [443],        8 * KIB, 180 * KIB, 20, 0.4],
  [6,  'work',     worker,              service('news'),      TCP, [443, 443, 80], 4 * KIB, 90 * KIB, 6, 0],
  [4,  'work',     worker,              service('video'),     UDP, [443],        60 * KIB, 6 * MIB, 50, 0.4],
  [4,  'work',     worker,              stranger,             TCP, [443, 443, 80, 8080], 3 * KIB, 40 * KIB, 5, 0],
  [2,  'work',     worker,              service('meetings'),  UDP, [3478, 8801], 4 * MIB, 7 * MIB, 90, 0],
  [2,  'work',     guest,               service('video'),     UDP, [443],        40 * KIB, 3 * MIB, 40, 0.4],
  [4,  'work',     guest,               service('social'),    TCP, [443],        6 * KIB, 70 * KIB, 8, 0.4],
  [12, 'work',     worker,              server('directory'),  UDP, [53],         80, 160, 0.02, 0.1],
  [2,  'work',     worker,              server('directory'),  TCP, [389, 88, 636], 3 * KIB, 5 * KIB, 1, 0],
  [6,  'work',     worker,              server('files'),      TCP, [445],        60 * KIB, 500 * KIB, 20, 0],
  [4,  'work',     worker,              server('mail'),       TCP, [993, 587],   20 * KIB, 40 * KIB, 15, 0],
  [2,  'work',     worker,              server('git'),        TCP, [22, 443],    30 * KIB, 200 * KIB, 8, 0],
  [1,  'work',     worker,              printer,              TCP, [9100, 631],  900 * KIB, 2 * KIB, 10, 0],
  [1,  'work',     phone,               server('telephony'),  UDP, [16384],      900 * KIB, 900 * KIB, 90, 0],
  [1,  'always',   phone,               server('telephony'),  UDP, [5060],       600, 500, 0.1, 0],
  [3,  'always',   server('directory'), service('resolver'),  UDP, [53],         90, 220, 0.03, 0.3],
  [5,  'always',   server('monitor'),   serverBut('monitor'), UDP, [161],        700, 1400, 0.2, 0],
  [2,  'always',   server('monitor'),   serverBut('monitor'), ICMP, [],          84, 84, 0.001, 0],
  [1,  'always',   anyServer,           service('time'),      UDP, [123],        76, 76, 0.02, 0.5],
  [3,  'always',   server('www'),       server('database'),   TCP, [5432],       8 * KIB, 60 * KIB, 2, 0],
  [2,  'always',   server('builds'),    service('packages'),  TCP, [443],        5 * KIB, 700 * KIB, 8, 0.3],
  [1,  'always',   server('builds'),    server('git'),        TCP, [22],         6 * KIB, 300 * KIB, 5, 0],
  [9,  'visitors', stranger,            server('www'),        TCP, [443, 443, 443, 80], 3 * KIB, 70 * KIB, 6, 0],
  [2,  'visitors', service('mailbox'),  server('mail'),       TCP, [25],         50 * KIB, 2 * KIB, 5, 0.2],
  [2,  'always',   stranger,            anyServer,            TCP, [22, 23, 445, 3389, 8080], 60, 0, 0, 0],
  [0.2, 'always',  service('partner'),  server('directory'),  ESP, [],           400 * KIB, 600 * KIB, 300, 0],
  [0.4, 'night',   serverBut('backup'), server('backup'),     TCP, [873],        90 * MIB, 200 * KIB, 600, 0],
  [0.1, 'night',   server('backup'),    service('vault'),     TCP, [443],        300 * MIB, 900 * KIB, 1800, 0],
  [1,  'night',    worker,              service('updates'),   TCP, [443],        20 * KIB, 9 * MIB, 40, 0.3],
];

export const HABITS: readonly Habit[] = ROWS.map(
  ([rate, clock, from, to, protocol, ports, sent, answered, seconds, ipv6]) => ({
    rate,
    clock,
    from,
    to,
    protocol,
    ports,
    sent,
    answered,
    seconds,
    ipv6,
  }),
);
