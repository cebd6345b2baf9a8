import fc from 'fast-check';
import type { GrantLimit } from '../../../domain/callers/grant-limit.ts';
import { parseNetwork } from '../../../domain/keys/address-forms.ts';
import { type DeclaredGroup, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';

export const HOSTS = guidOf(1);
export const APPS = guidOf(2);
export const PAIRS = guidOf(3);
export const USES = guidOf(4);
export const NETS = guidOf(5);
export const VIA = guidOf(6);

export const METERS = [meter(0, 2), meter(1, 5), meter(2, 10), meter(3, 11), meter(4, 12)];

export const PROBES = ['p1', 'p2', 'p3'];

/** Groups of addresses, of texts, of networks, and of pairs of these. */
export const GROUPS: readonly DeclaredGroup[] = [
  group(1, { key_kind: 'ip', meters: METERS }),
  group(2, { meters: METERS }),
  group(3, { key_kind: 'crosskey', crosskey: crossed(HOSTS, HOSTS), meters: METERS }),
  group(4, { key_kind: 'crosskey', crosskey: crossed(HOSTS, APPS), meters: METERS }),
  group(5, { key_kind: 'subnet', meters: METERS, bucket_size: 20, topper_bucket_size: 20 }),
  group(6, { key_kind: 'crosskey', crosskey: crossed(APPS, NETS), meters: METERS }),
];

function crossed(parentguid: string, crosskeyguid_1: string) {
  return { parentguid, crosskeyguid_1 };
}

const HOST_KEYS = [
  '0A.01.02.03',
  '0A.01.02.04',
  '0A.01.03.01',
  '0A.02.00.01',
  'C0.A8.00.01',
  'C0.A8.00.FF',
  `20.01.0D.B8.00.01${'.00'.repeat(9)}.01`,
  `20.01.0D.B8.00.02${'.00'.repeat(9)}.01`,
];
const APP_KEYS = ['dns', 'http', 'ssh'];
const NET_KEYS = ['0A.01.00.00/10', '0A.01.02.00/18', '0A.00.00.00/08', 'C0.A8.00.00/18'];

const either = (one: readonly string[], other: readonly string[]): string[] =>
  one.flatMap((a) => other.map((b) => `${a}\\${b}`));

export const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [HOSTS, HOST_KEYS],
  [APPS, APP_KEYS],
  [PAIRS, either(HOST_KEYS, HOST_KEYS)],
  [USES, either(HOST_KEYS, APP_KEYS)],
  [NETS, NET_KEYS],
  [VIA, either(APP_KEYS, NET_KEYS)],
]);

/** From before one midnight to after another. */
export const SPAN = { from: T0 - 4000, to: T0 + 90_000 };

const line: fc.Arbitrary<Line> = fc
  .record({
    group: fc.constantFrom(...KEYS.keys()),
    ts: fc.oneof(
      fc.integer({ min: SPAN.from, max: SPAN.to }),
      fc.integer({ min: SPAN.from, max: SPAN.from + 7000 }),
    ),
    values: fc
      .tuple(...METERS.map(() => fc.option(fc.nat({ max: 1000 }), { freq: 4 })))
      .map((drawn) =>
        Object.fromEntries([
          [0, 1],
          ...drawn.flatMap((value, i) => (value === null ? [] : [[i, value]])),
        ]),
      ),
    probe: fc.constantFrom(...PROBES),
    place: fc.nat(),
    isLabelled: fc.nat({ max: 20 }),
  })
  .map(({ place, isLabelled, ...rest }) => {
    const keys = KEYS.get(rest.group) ?? [];
    const key = keys[place % keys.length] ?? '';
    return { ...rest, key, ...(isLabelled === 0 && { label: `Label of ${key}` }) };
  });

export const randomLines = (seed: number, count: number): Line[] =>
  fc.sample(line, { numRuns: count, seed });

/** Whether a key has a part in one of the networks, by plain comparison of texts of bits. */
function isInside(key: string, networks: readonly string[]): boolean {
  return key.split('\\').some((part) => {
    const [address = '', length] = part.split('/');
    if (!/^[0-9A-F]{2}(\.[0-9A-F]{2})+$/.test(address)) return false;
    const bits = bitsOf(address.split('.').map((byte) => Number.parseInt(byte, 16)));
    const own = length === undefined ? bits.length : Number.parseInt(length, 16);
    return networks.some((text) => {
      const network = parseNetwork(text);
      if (network === null) throw new Error(`${text} is no network`);
      const outer = bitsOf(network.bytes);
      const isAlike = bits.startsWith(outer.slice(0, network.prefix));
      return outer.length === bits.length && isAlike && own >= network.prefix;
    });
  });
}

const bitsOf = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');

const uuidOf = (guid: string): string => guid.slice(1, -1).toLowerCase();

const seesGroup = (limit: GrantLimit, guid: string): boolean =>
  (limit.groups === null || limit.groups.includes(uuidOf(guid))) &&
  (limit.networks === null || guid !== APPS);

/** Whether any of the grants covers a line. */
const seesLine = (limits: readonly GrantLimit[], each: Line): boolean =>
  limits.some(
    (limit) =>
      seesGroup(limit, each.group) &&
      (limit.probes === null || limit.probes.includes(each.probe ?? '')) &&
      (limit.networks === null || isInside(each.key, limit.networks)),
  );

export const limitOf = (limit: Partial<GrantLimit>): GrantLimit => ({
  networks: null,
  probes: null,
  groups: null,
  ...limit,
});

export const LIMITS_OF_USERS: Readonly<Record<string, GrantLimit>> = {
  network: limitOf({ networks: ['10.1.0.0/16'] }),
  networks: limitOf({ networks: ['10.1.2.0/24', '2001:db8:1::/48', '192.168.0.255/32'] }),
  probe: limitOf({ probes: ['p2'] }),
  probes: limitOf({ networks: ['10.1.0.0/16', '10.1.2.0/24'], probes: ['p1', 'p3'] }),
  groups: limitOf({ groups: [HOSTS, PAIRS].map(uuidOf) }),
  host: limitOf({ networks: ['10.1.2.3/32'], groups: [PAIRS, VIA].map(uuidOf) }),
  nothing: limitOf({ networks: ['172.16.0.0/12'] }),
};

/** A lab of all lines with a user for each limit. */
export async function startWholeLab(imports: readonly (readonly Line[])[]): Promise<TestService> {
  const lab = await startLab({ groups: GROUPS });
  for (const [username, limit] of Object.entries(LIMITS_OF_USERS)) {
    await lab.addUser({ ...ADA, username }, [CONTEXT]);
    await limitGrant(lab, username, limit);
  }
  for (const lines of imports) await lab.importSamples(lines);
  return lab;
}

export async function limitGrant(
  lab: TestService,
  username: string,
  { networks, probes, groups }: GrantLimit,
): Promise<void> {
  await lab.sql(
    `update grants g set only_networks = $2, only_probes = $3, only_groups = $4
     from users u where u.user_id = g.user_id and u.username = $1`,
    [username, networks, probes, groups],
  );
}

/**
 * A lab with only what some grants cover, which its user may see without limit. Labels are those of
 * the whole lab: who sees a key sees the labels of its parts, too.
 */
export async function startLimitedLab(
  whole: TestService,
  imports: readonly (readonly Line[])[],
  { username, limits }: { readonly username: string; readonly limits: readonly GrantLimit[] },
): Promise<TestService> {
  const groups = GROUPS.map((each) => ({
    ...each,
    enabled: limits.some((limit) => seesGroup(limit, each.guid)),
  }));
  const lab = await startLab({ groups });
  await lab.addUser({ ...ADA, username }, [CONTEXT]);
  for (const lines of imports) {
    const own = lines.filter((each) => seesLine(limits, each)).map(({ label: _, ...rest }) => rest);
    if (own.length > 0) await lab.importSamples(own);
  }
  const labels = await whole.sql<{ guid: string; key: string; label: string }>(
    'select guid, key, label from key_texts join counter_groups using (group_id)',
  );
  for (const { guid, key, label } of labels) {
    await lab.sql(
      `insert into key_texts (group_id, key, label, label_source)
       select group_id, $2, $3, 'dns' from counter_groups where guid = $1`,
      [guid, key, label],
    );
  }
  return lab;
}
