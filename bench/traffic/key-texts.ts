/** Odd, so that its multiples modulo 2^24 are all different. Near 2^24 divided by the golden
 * ratio, so that consecutive ones are far apart. */
const STRIDE = 10_368_889;

/**
 * Raw keys (decisions, section 7) of addresses in 10.0.0.0/8, by id. Popular keys, whose ids are
 * next to each other, are spread over the whole network.
 */
export const keyTexts = (count: number): string[] =>
  Array.from({ length: count }, (_, id) => keyText((id * STRIDE) % 2 ** 24));

const keyText = (host: number): string =>
  ['0A', hexByte(host >>> 16), hexByte(host >>> 8), hexByte(host)].join('.');

const hexByte = (value: number): string =>
  (value & 0xff).toString(16).toUpperCase().padStart(2, '0');
