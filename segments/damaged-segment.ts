/** Stored bytes that no writer of this format makes: a flipped bit, a page cut short. */
export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
}
