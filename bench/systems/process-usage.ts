import { readFile } from 'node:fs/promises';

export type ProcessUsage = {
  /** Peak memory so far. */
  readonly peakBytes: number;
  /** CPU time of all its threads, user and system, in steps of 10 ms. */
  readonly cpuSeconds: number;
};

/** Linux reports CPU time in these ticks on every machine. */
const TICKS_A_SECOND = 100;

/** Reads the usage of a process so far. null if the process has ended or this is not Linux. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1];
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Skip the name, which may contain anything. utime and stime are fields 14 and 15.
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
