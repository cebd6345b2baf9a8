import { readFile } from 'node:fs/promises';

export type ProcessUsage = {
  /** The most memory that it has had so far. */
  readonly peakBytes: number;
  /** Of all its threads, user and system, in steps of 10 ms. */
  readonly cpuSeconds: number;
};

/** Linux counts in these, whatever the machine. */
const TICKS_A_SECOND = 100;

/** Of a running process, so far; null where Linux is not, or the process is not any more. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1];
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may have anything in it; utime and stime are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (kilobytes === undefined) return null;
    return {
      peakBytes: Number(kilobytes) * 1024,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    };
  } catch {
    return null;
  }
}
