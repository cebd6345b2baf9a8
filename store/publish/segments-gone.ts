/**
 * Another transaction has meanwhile replaced or removed segments that were to be replaced, or that
 * a roll-up was made of.
 */
export class SegmentsGone extends Error {
  override readonly name = 'SegmentsGone';
  readonly segmentIds: readonly number[];

  constructor(segmentIds: readonly number[]) {
    super(
      `Segments ${segmentIds.join(', ')} must be live, but died meanwhile: ` +
        'roll back, and plan again with the live segments',
    );
    this.segmentIds = segmentIds;
  }
}
