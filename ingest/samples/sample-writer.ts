import { loadGroups } from '../load-groups.ts';
import type { ImportSession } from '../session/import-session.ts';
import type { TimeBounds } from '../time-bounds.ts';
import { type ByteLineTaker, lineText } from './byte-lines.ts';
import { createByteSamples } from './byte-samples.ts';
import { parseSampleLine } from './sample-line.ts';

type SampleWriterOptions = {
  /** The probe of samples that name none. */
  readonly probe: string | null;
  readonly bounds: TimeBounds;
  /** Called for each sample taken. */
  readonly onRecord: () => void;
};

/**
 * Returns a function that takes lines of the `samples` format and passes their readings to the
 * session's writer. For a line that cannot be taken it throws a `BadLine` before anything of it is
 * passed on.
 */
export async function createSampleWriter(
  { connection, contextId, writer }: ImportSession,
  { probe, bounds, onRecord }: SampleWriterOptions,
): Promise<ByteLineTaker> {
  const groups = await loadGroups(connection, contextId);
  const context = { groups, bounds };
  const addBytes = createByteSamples({ ...context, probe });
  return (line) => {
    const { batch } = writer;
    if (!addBytes(batch, line)) {
      const sample = parseSampleLine(context, lineText(line));
      const { group, key, bucket, readings: values, count, texts } = sample;
      batch.add({ group, key, bucket, count, probe: sample.probe ?? probe, values });
      if (texts) writer.addTexts({ group, key, texts });
    }
    onRecord();
    return writer.makeRoom();
  };
}
