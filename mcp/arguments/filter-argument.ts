import { fields, integer, listOf, text } from './forms.ts';

/** GraphQL's `KeyFilterInput`. */
export const filterArgument = () =>
  fields({
    keys: listOf('a key, raw or readable').optional().describe('Only these keys.'),
    excludeKeys: listOf('a key, raw or readable').optional().describe('All but these keys.'),
    cidr: listOf('a network such as 10.0.0.0/8')
      .optional()
      .describe('For addresses: only those in these networks.'),
    excludeCidr: listOf('a network such as 10.0.0.0/8')
      .optional()
      .describe('For addresses: none in these networks.'),
    search: text('a text').optional().describe('Text in the label or the readable form.'),
    match: text('an RE2 pattern').optional().describe('RE2 pattern found in the raw key.'),
    exclude: text('an RE2 pattern').optional().describe('RE2 pattern not found in the raw key.'),
  })
    .optional()
    .describe('Which keys to list; all conditions must hold. Totals still cover the whole group.');

/** GraphQL's `PrefixInput`. */
export const prefixArgument = () =>
  fields({
    ipv4: integer(0, 32).default(24).describe('Prefix length of IPv4 networks.'),
    ipv6: integer(0, 128).default(48).describe('Prefix length of IPv6 networks.'),
  })
    .optional()
    .describe('For groups of addresses: networks of these lengths replace the addresses.');
