import { BUCKET_SECONDS, METERS, TOPPER_BUCKET_SECONDS } from '../traffic/traffic.ts';

export const CONTEXT = 'bench';
export const USER = 'bench';
/** Not a secret: the database lives as long as the bench, and only local clients can reach it. */
export const TOKEN = 'token-of-the-benchmarks';
export const GROUP = '{5B1F0E52-6A0B-4C1E-8F0D-3B9D2C7E4A10}';

/** The declaration for `countergraph apply`. */
export const DECLARATION = {
  context: CONTEXT,
  groups: [
    {
      guid: GROUP,
      name: 'Hosts',
      key_kind: 'ipv4',
      bucket_size: BUCKET_SECONDS,
      topper_bucket_size: TOPPER_BUCKET_SECONDS,
      meters: METERS.map((name, id) => ({
        id,
        name,
        type: 2,
        topcount: 100,
        description: `Total ${name}`,
        units: name,
      })),
    },
  ],
};
