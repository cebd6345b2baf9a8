import { pagePartitionName, pagePartitionOf, type SegmentToPlace } from '../../db/page-tables.ts';

/** There is no partition for the pages of a segment. Nothing was written or read. */
export class MissingPartition extends Error {
  override readonly name = 'MissingPartition';

  constructor(scope: SegmentToPlace) {
    super(
      `There must be a partition ${pagePartitionName(pagePartitionOf(scope))}, but there is none, ` +
        'or it was just removed as unused: make one (ensurePagePartition), and write the segment again',
    );
  }
}
