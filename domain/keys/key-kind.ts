/** The kinds of keys. The group determines the kind, never the form of a key. */
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

/** Kinds of single keys: each part of a cross-key has one of these. */
export type SimpleKeyKind = Exclude<KeyKind, 'crosskey'>;
