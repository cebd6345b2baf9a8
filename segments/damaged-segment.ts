/**
 * Stored bytes that no writer of this format produces, such as a flipped bit or a truncated page.
 */
export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
}
