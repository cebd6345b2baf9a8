import { ALERT_CONDITIONS, type AlertCondition } from '../domain/alerts/rule.ts';
import { ROLES, type Role } from '../domain/callers/role.ts';
import { KEY_KINDS, type KeyKind } from '../domain/keys/key-kind.ts';
import { METER_TYPE_NAMES, type MeterTypeName } from '../domain/toppers/meter-type.ts';
import { builder } from './builder.ts';

const METER_TYPE_DESCRIPTIONS: Readonly<Record<MeterTypeName, string>> = {
  VT_INVALID: 'An invalid meter: it cannot be ranked.',
  VT_RATE_COUNTER_WITH_SLIDING_WINDOW: 'Rate counter with sliding window.',
  VT_COUNTER: 'Basic counter: a window holds the sum.',
  VT_COUNTER_WITH_SLIDING_WINDOW: 'Counter with sliding window: a window holds the sum.',
  VT_RATE_COUNTER: 'Rate counter, stored as volume and shown as volume ÷ topper bucket size.',
  VT_GAUGE: 'Basic gauge: a window holds the mean.',
  VT_GAUGE_MIN_MAX_AVG: 'Gauge with minimum, maximum and average; ranked by the mean.',
  VT_AUTO: 'Automatic (minimum, maximum, average, deviation); ranked by the mean.',
  VT_RUNNING_COUNTER: 'Running counter without deltas: a window holds the largest reading.',
  VT_AVERAGE: 'Average of samples: a window holds the mean.',
  VT_DELTA_RATE_COUNTER: 'Delta rate counter, as in SNMP, shown as volume ÷ topper bucket size.',
  VT_MAX: 'Maximum of samples: a window holds the largest reading.',
  VT_MIN: 'Minimum of samples: a window holds the smallest reading.',
};

export const MeterTypeEnum = builder.enumType('MeterType', {
  description: "How a meter's readings combine. The REST endpoints give the number of the type.",
  values: Object.fromEntries(
    METER_TYPE_NAMES.map((name) => [name, { description: METER_TYPE_DESCRIPTIONS[name] }]),
  ) as Record<MeterTypeName, { description: string }>,
});

const KEY_KIND_DESCRIPTIONS: Readonly<Record<KeyKind, string>> = {
  ipv4: 'IPv4 addresses: `C0.A8.01.0A` is 192.168.1.10.',
  ipv6: 'IPv6 addresses: 16 bytes, `20.01.0D.B8.….01`.',
  ip: 'IPv4 and IPv6 addresses.',
  port: 'Ports: `00.50` is 80.',
  protocol: 'IP protocols: `06` is TCP.',
  mac: 'Ethernet addresses: `00.0B.DB.63.58.A6`.',
  subnet: 'Networks: `C0.A8.01.00/18` is 192.168.1.0/24, the prefix length in hexadecimal.',
  interface: 'Router address and interface number: `C0.A8.01.01.00.00.00.03`.',
  asn: 'Autonomous systems: `00.00.3B.41` is AS15169.',
  country: 'Countries: `US`.',
  text: 'Any text.',
  crosskey: 'Two or three keys of other groups joined by a backslash.',
};

export const KeyKindEnum = builder.enumType('KeyKind', {
  description: 'What the keys of a counter group are.',
  values: Object.fromEntries(
    KEY_KINDS.map((kind) => [
      kind.toUpperCase(),
      { value: kind, description: KEY_KIND_DESCRIPTIONS[kind] },
    ]),
  ) as Record<Uppercase<KeyKind>, { value: KeyKind; description: string }>,
});

export const WindowPresetEnum = builder.enumType('WindowPreset', {
  description: 'Windows by name. LATEST_TOPPER_BUCKET is the newest complete one.',
  values: {
    TODAY: { description: 'From midnight until now, in the time zone of the argument.' },
    YESTERDAY: { description: 'The day before, from midnight to midnight.' },
    LATEST_TOPPER_BUCKET: { description: 'The newest complete topper bucket.' },
    ALL_AVAILABLE: { description: 'From the oldest to the newest available bucket.' },
  } as const,
});

const COMPARISON_DESCRIPTIONS: Readonly<Record<AlertCondition, string>> = {
  key_above: 'A key is above the threshold.',
  key_share_above: "A key's share of the total, 0 to 1, is above the threshold.",
  key_in_top: 'A key is among that many largest.',
  key_grows_by: 'A key has grown by more than the threshold since the window just before.',
  key_new_above: 'A key without a reading in the window just before is above the threshold.',
  total_above: 'The total is above the threshold.',
  total_below: 'The total is below the threshold.',
  silent_seconds: 'No new data have arrived for more than that many seconds.',
};

export const AlertComparisonEnum = builder.enumType('AlertComparison', {
  description: 'What an alert compares with its threshold.',
  values: Object.fromEntries(
    ALERT_CONDITIONS.map((condition) => [
      condition.toUpperCase(),
      { value: condition, description: COMPARISON_DESCRIPTIONS[condition] },
    ]),
  ) as Record<Uppercase<AlertCondition>, { value: AlertCondition; description: string }>,
});

export const AlertSinkKindEnum = builder.enumType('AlertSinkKind', {
  description: 'What kind of receiver a sink is.',
  values: {
    WEBHOOK: { value: 'webhook', description: 'An address that is sent a POST for each change.' },
    ALERTMANAGER: { value: 'alertmanager', description: 'An Alertmanager of Prometheus.' },
  } as const,
});

const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  reader: 'Reads the context.',
  editor: 'Also changes the texts of its keys, the tags of its slices and its alerts.',
};

export const RoleEnum = builder.enumType('Role', {
  description: 'What a grant of a context allows.',
  values: Object.fromEntries(
    ROLES.map((role) => [
      role.toUpperCase(),
      { value: role, description: ROLE_DESCRIPTIONS[role] },
    ]),
  ) as Record<Uppercase<Role>, { value: Role; description: string }>,
});
