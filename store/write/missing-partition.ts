/** There is no partition for the pages of a slice. Nothing was written, and nothing read. */
export class MissingPartition extends Error {
  override readonly name = 'MissingPartition';

  constructor(sliceId: number) {
    super(
      `Slice ${sliceId} must have a partition for pages, but has none, or it was just removed as ` +
        'unused: make one (ensurePagePartition), and write the segment again',
    );
  }
}
