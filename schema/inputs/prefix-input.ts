import type { NetworkLengths } from '../../domain/filters/network-lengths.ts';
import { builder } from '../builder.ts';

const IPV4_BITS = 24;
const IPV6_BITS = 48;

export const PrefixInput = builder.inputType('PrefixInput', {
  description:
    'Rolls the keys of an address group up to networks, which then become the keys, in the form of kind `subnet`.',
  fields: (t) => ({
    ipv4: t.int({
      required: true,
      defaultValue: IPV4_BITS,
      description: 'Prefix length of IPv4 networks, 0 to 32.',
    }),
    ipv6: t.int({
      required: true,
      defaultValue: IPV6_BITS,
      description: 'Prefix length of IPv6 networks, 0 to 128.',
    }),
  }),
});

type GivenPrefix = typeof PrefixInput.$inferInput;

/** null: keys are not rolled up. */
export const decodePrefix = (given: GivenPrefix | null | undefined): NetworkLengths | null =>
  given ? { ipv4: given.ipv4, ipv6: given.ipv6 } : null;
