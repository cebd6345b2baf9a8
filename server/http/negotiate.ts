import Negotiator from 'negotiator';

/*
 * What a client accepts, by RFC 9110, 12.5: what has weight 0 is not acceptable, and a more
 * specific range decides before a less specific one. Without the header, any media type is
 * acceptable.
 */

/** Whether a client accepts a media type, with whatever parameters. */
export const acceptsType = (accept: string | undefined, type: string): boolean =>
  namesType(accept, type) ||
  new Negotiator({ headers: { accept } }).mediaType([type]) !== undefined;

/** Whether a client names a media type itself, rather than a range that contains it. */
export const namesType = (accept: string | undefined, type: string): boolean =>
  accept !== undefined &&
  new Negotiator({ headers: { accept } })
    .mediaTypes()
    .some((accepted) => accepted.toLowerCase() === type);

/** Returns the first of some encodings that a client accepts; undefined: it accepts none. */
export function firstEncoding<Encoding extends string>(
  accepted: string | undefined,
  available: readonly Encoding[],
): Encoding | undefined {
  // Without the header, a client is assumed to know no encoding.
  if (accepted === undefined) return undefined;
  const known = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings([
    ...available,
  ]);
  return available.find((encoding) => known.includes(encoding));
}
