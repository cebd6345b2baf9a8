import type { Connection } from '../../db/connection/connection.ts';
import { type KeyCodec, keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { loadShapes } from '../shapes/load-shapes.ts';

/** A counter group, with what is needed to write its segments. */
export type ConvertedGroup = {
  readonly groupId: number;
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
};

/** Returns all groups of a context by id, including those that are switched off. */
export async function loadConvertedGroups(
  connection: Connection,
  contextId: number,
): Promise<Map<number, ConvertedGroup>> {
  const shapes = await loadShapes(connection, contextId);
  return new Map(
    [...shapes].map(([groupId, shape]) => [groupId, { groupId, shape, codec: keyCodecOf(shape) }]),
  );
}
