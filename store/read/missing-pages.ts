/** Pages of the manifest are not in the database that was queried. */
export class MissingPages extends Error {
  override readonly name = 'MissingPages';

  /** `count` pages of the segment are missing, `page` among them. */
  constructor({ segmentId, page, count }: MissingOf) {
    super(
      `Page ${page} of segment ${segmentId} must exist, but it and ${count - 1} others do not: ` +
        'the segment was swept since the manifest was read, or this node does not have it yet. ' +
        'Retry with a fresh manifest',
    );
  }
}

type MissingOf = {
  readonly segmentId: number;
  readonly page: number;
  readonly count: number;
};
