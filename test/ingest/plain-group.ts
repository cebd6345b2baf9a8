import type { Guid } from '../../domain/text/guid.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';

/** A group of text keys whose meters have these aggregates. */
export const groupOf = (aggregates: readonly Aggregate[], groupId = 1): ImportGroup => ({
  groupId,
  keysGroupId: groupId,
  guid: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid,
  keyKind: 'text',
  bucketSeconds: 60,
  topperBucketSeconds: 300,
  meters: new Map(),
  aggregates,
  partGuids: [],
  partKinds: [],
});
