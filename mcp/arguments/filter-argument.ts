import { fields, integer, listOf, text } from './forms.ts';

/** GraphQL's `KeyFilterInput`. */
export const filterArgument = () =>
  fields({
    keys: listOf('a key, raw or readable').optional().describe('Only these keys.'),
    excludeKeys: listOf('a key, raw or readable').optional().describe('All but these keys.'),
    cidr: listOf('a network such as 10.0.0.0/8').optional().describe('Of addresses: only within.'),
    excludeCidr: listOf('a network such as 10.0.0.0/8')
      .optional()
      .describe('Of addresses: none within.'),
    search: text('a text').optional().describe('Text in the label or the readable form.'),
    match: text('an RE2 pattern').optional().describe('RE2 pattern found in the raw key.'),
    exclude: text('an RE2 pattern').optional().describe('RE2 pattern not found in the raw key.'),
  })
    .optional()
    .describe(
      'Which keys to list; all fields must hold. Totals are of the whole group all the same.',
    );

/** GraphQL's `PrefixInput`. */
export const prefixArgument = () =>
  fields({
    ipv4: integer(0, 32).default(24).describe('Bits of an IPv4 address that make its network.'),
    ipv6: integer(0, 128).default(48).describe('Bits of an IPv6 address that make its network.'),
  })
    .optional()
    .describe('For groups of addresses: networks of these lengths take the place of addresses.');
