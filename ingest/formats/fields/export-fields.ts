import type { FlowRecord } from './flow-fields.ts';

const LARGEST = 2 ** 32 - 1;

/** Returns a sequence number; null if there is none, which is no reason to refuse a flow. */
export function sequenceNumberIn(record: FlowRecord, field: string): number | null {
  const text = record.text(field);
  if (text === undefined || !/^\d{1,10}$/.test(text)) return null;
  const number = Number(text);
  return number <= LARGEST ? number : null;
}
