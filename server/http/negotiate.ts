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

/** `preferred` decides among encodings of the same weight; the package's types leave it out. */
type EncodingChoice = {
  encoding(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): string | undefined;
};

/**
 * Returns the encoding that a client prefers, and of those it likes as much, the first of
 * `available`; undefined: it prefers none of them to the answer as it is.
 */
export function preferredEncoding<Encoding extends string>(
  accepted: string | undefined,
  available: readonly Encoding[],
): Encoding | undefined {
  // Without the header, a client is assumed to know no encoding.
  if (accepted === undefined) return undefined;
  const client: EncodingChoice = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const preferred = [...available, IDENTITY];
  const chosen = client.encoding(preferred, { preferred });
  return available.find((encoding) => encoding === chosen);
}

/** Whether a client refuses an answer that is not encoded. */
export const refusesPlain = (accepted: string | undefined): boolean =>
  accepted !== undefined &&
  new Negotiator({ headers: { 'accept-encoding': accepted } }).encoding([IDENTITY]) === undefined;

const IDENTITY = 'identity';
