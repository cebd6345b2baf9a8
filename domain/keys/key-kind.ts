/** What a group's keys are. The kind belongs to the group, never to the look of a key. */
export const KEY_KINDS = [
  'ipv4',
  'ipv6',
  'ip',
  'port',
  'protocol',
  'mac',
  'subnet',
  'interface',
  'asn',
  'country',
  'text',
  'crosskey',
] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

/** Kinds a key of which stands on its own: a part of a cross-key is always one of these. */
export type SimpleKeyKind = Exclude<KeyKind, 'crosskey'>;
