import type { ImportSession } from './import-session.ts';
import { loadGroups } from './load-groups.ts';
import { parseSampleLine } from './sample-line.ts';
import type { TimeBounds } from './time-bounds.ts';

/**
 * Takes the lines of the `samples` format, and gives their readings to the session's writer. A line
 * that cannot be taken fails as a `BadLine` before anything of it is given on.
 */
export async function createSampleWriter(
  { connection, contextId, writer }: ImportSession,
  { probe, bounds }: { probe: string | null; bounds: TimeBounds },
): Promise<(line: string) => Promise<true>> {
  const groups = await loadGroups(connection, contextId);
  return async (line) => {
    const sample = parseSampleLine({ groups, bounds }, line);
    const { group, key, bucket, readings, count, texts } = sample;
    writer.add({ group, key, bucket, count, probe: sample.probe ?? probe, values: readings });
    if (texts) writer.addTexts({ group, key, texts });
    if (writer.isFull()) await writer.flush();
    return true;
  };
}
