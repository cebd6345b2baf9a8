import type { KeyKind } from '../../domain/keys/key-kind.ts';
import { type Guid, parseGuid } from '../../domain/text/guid.ts';

/** VT_COUNTER: all readings of flows are sums. */
const FLOW_METER_TYPE = 2;
export const FLOW_BUCKET_SECONDS = 60;
export const FLOW_TOPPER_BUCKET_SECONDS = 300;
const TOPCOUNT = 100;

type FlowMeter = {
  readonly id: number;
  readonly type: number;
  readonly topcount: number;
  readonly name: string;
  readonly description: string;
  readonly units: string;
  /** The description that imports before 0.7.1 gave it, if it was another one. */
  readonly formerly: string | null;
};

export type FlowGroup = {
  readonly guid: Guid;
  readonly name: string;
  readonly keyKind: KeyKind;
  /** The groups of a cross-key's parts, in order. */
  readonly crosskey: readonly Guid[] | null;
  /** The group whose keys its keys are; left out: they are its own. */
  readonly keysOf?: Guid;
  readonly meters: readonly FlowMeter[];
};

const meter = (id: number, name: string, units: string, description: string): FlowMeter => ({
  id,
  type: FLOW_METER_TYPE,
  topcount: TOPCOUNT,
  name,
  description,
  units,
  formerly: null,
});

/** Returns a meter whose description also says why the group's total differs from the traffic's. */
const noted = (plain: FlowMeter, note: string): FlowMeter => ({
  ...plain,
  description: `${plain.description}. ${note}`,
  formerly: plain.description,
});

const hostMeters = (note: string): FlowMeter[] => [
  noted(meter(0, 'Total bytes', 'bytes', 'Bytes sent and received'), note),
  meter(1, 'Received bytes', 'bytes', 'Bytes sent to the host'),
  meter(2, 'Transmitted bytes', 'bytes', 'Bytes sent by the host'),
  noted(meter(3, 'Packets', 'packets', 'Packets sent and received'), note),
  noted(
    meter(13, 'New connections', 'connections', 'Connections begun, from or to the host'),
    note,
  ),
];

const ALL_HOSTS =
  'A flow counts for both its ends, so the total of the group is twice that of the traffic';
const SOME_HOSTS = 'A flow between two members of the group counts for both';
const HOST_APPS =
  'A flow counts for both its ends, so the total of the group is twice that of Apps';
const AGGREGATES =
  'The group holds all traffic twice, as TOTALBW and by direction (DIR_…), ' +
  'so TOTALBW is half of its total';

function guid(text: string): Guid {
  const parsed = parseGuid(text);
  if (parsed === null) throw new Error(`${text} is not a GUID`);
  return parsed;
}

const HOSTS = guid('{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}');
const APPS = guid('{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}');

/**
 * The counter groups that flows fill (operations, "Flows to counters"). The order of a group's
 * meters is the order of the amounts in ingest/flows/flow-readings.ts.
 */
export const FLOW_GROUPS = {
  hosts: {
    guid: HOSTS,
    name: 'Hosts',
    keyKind: 'ip',
    crosskey: null,
    meters: hostMeters(ALL_HOSTS),
  },
  internalHosts: {
    guid: guid('{889900CC-0063-11A5-8380-FEBDBABBDBEA}'),
    name: 'Internal Hosts',
    keyKind: 'ip',
    crosskey: null,
    keysOf: HOSTS,
    meters: hostMeters(SOME_HOSTS),
  },
  externalHosts: {
    guid: guid('{00AA77BB-0063-11A5-8380-FEBDBABBDBEA}'),
    name: 'External Hosts',
    keyKind: 'ip',
    crosskey: null,
    keysOf: HOSTS,
    meters: hostMeters(SOME_HOSTS),
  },
  apps: {
    guid: APPS,
    name: 'Apps',
    keyKind: 'port',
    crosskey: null,
    meters: [
      meter(0, 'Total bytes', 'bytes', 'Bytes in both directions'),
      meter(2, 'Into home bytes', 'bytes', 'Bytes sent into the home networks from outside'),
      meter(3, 'Out of home bytes', 'bytes', 'Bytes sent out of the home networks'),
      meter(4, 'Connections', 'connections', 'Connections begun'),
    ],
  },
  protocols: {
    guid: guid('{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}'),
    name: 'Protocols',
    keyKind: 'protocol',
    crosskey: null,
    meters: [
      meter(0, 'Total bytes', 'bytes', 'Bytes in both directions'),
      meter(1, 'Packets', 'packets', 'Packets in both directions'),
      meter(3, 'Flows', 'flows', 'Flows begun'),
    ],
  },
  aggregates: {
    guid: guid('{393B5EBC-AB41-4387-8F31-8077DB917336}'),
    name: 'Aggregates',
    keyKind: 'text',
    crosskey: null,
    meters: [
      noted(
        meter(0, 'Total bytes', 'bytes', 'Bytes of all traffic, or of one direction'),
        AGGREGATES,
      ),
      noted(
        meter(1, 'Packets', 'packets', 'Packets of all traffic, or of one direction'),
        AGGREGATES,
      ),
    ],
  },
  hostApps: {
    guid: guid('{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A01}'),
    name: 'Hosts × Apps',
    keyKind: 'crosskey',
    crosskey: [HOSTS, APPS],
    meters: [
      noted(meter(0, 'Total bytes', 'bytes', 'Bytes in both directions'), HOST_APPS),
      noted(meter(4, 'Connections', 'connections', 'Connections begun'), HOST_APPS),
    ],
  },
  hostPairs: {
    guid: guid('{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}'),
    name: 'Host pairs',
    keyKind: 'crosskey',
    crosskey: [HOSTS, HOSTS],
    meters: [
      meter(0, 'Total bytes', 'bytes', 'Bytes in both directions'),
      meter(4, 'Connections', 'connections', 'Connections begun'),
    ],
  },
} as const satisfies Record<string, FlowGroup>;

/** Groups that are filled only if databases locate addresses (`--mmdb`). */
const GEO_GROUPS = {
  countries: {
    guid: guid('{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A03}'),
    name: 'Country',
    keyKind: 'country',
    crosskey: null,
    meters: hostMeters(SOME_HOSTS),
  },
  systems: {
    guid: guid('{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A04}'),
    name: 'ASN',
    keyKind: 'asn',
    crosskey: null,
    meters: hostMeters(SOME_HOSTS),
  },
} as const satisfies Record<string, FlowGroup>;

export type FlowGroupName = keyof typeof FLOW_GROUPS | keyof typeof GEO_GROUPS;

export const flowGroup = (name: FlowGroupName): FlowGroup =>
  ({ ...FLOW_GROUPS, ...GEO_GROUPS })[name];

/** Returns the groups that flows fill. `geo`: what the databases know about addresses, if any. */
export const flowGroupNames = (
  geo: { readonly hasCountries: boolean; readonly hasSystems: boolean } | null,
): FlowGroupName[] => [
  ...(Object.keys(FLOW_GROUPS) as (keyof typeof FLOW_GROUPS)[]),
  ...(geo?.hasCountries ? (['countries'] as const) : []),
  ...(geo?.hasSystems ? (['systems'] as const) : []),
];
