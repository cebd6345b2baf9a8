/** How many bits of an address make its network, for each family. */
export type NetworkLengths = { readonly ipv4: number; readonly ipv6: number };

/** What tells the networks of one kind of addresses from those of other lengths. */
export const lengthsName = ({ ipv4, ipv6 }: NetworkLengths): string => `/${ipv4} /${ipv6}`;
