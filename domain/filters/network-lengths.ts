/** How many bits of an address form its network, for each family. */
export type NetworkLengths = { readonly ipv4: number; readonly ipv6: number };

/** A name for the lengths, different for different lengths. */
export const lengthsName = ({ ipv4, ipv6 }: NetworkLengths): string => `/${ipv4} /${ipv6}`;
