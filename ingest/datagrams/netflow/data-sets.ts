import { SLOT } from './elements.ts';
import { type ExporterDomain, layoutOf, type Template } from './exporter-domain.ts';
import { type DataRecord, numberIn } from './field-values.ts';
import { type FlowContext, takeFlow } from './flow-records.ts';
import { locateRecord, type RecordForm } from './record-form.ts';
import type { DatagramSet } from './template-sets.ts';

/** More than three bytes after the last record are no padding (RFC 7011, section 3.3.1). */
const LONGEST_PADDING = 3;

/**
 * Takes the flows of a set of data, or its options. Returns the number of its records; null if its
 * length cannot be that of records of its template, and takes none of them.
 */
export function takeDataSet(
  { bytes, from, to }: DatagramSet,
  template: Template,
  domain: ExporterDomain,
  context: FlowContext,
): number | null {
  const { form, plan } = layoutOf(template);
  const record: DataRecord = { form, bytes, at: from };
  if (!areWhole(form, bytes, from, to)) return null;
  let count = 0;
  while (to - record.at >= form.bytes) {
    const end = locateRecord(form, bytes, record.at, to);
    if (plan === null) takeOptions(record, domain);
    else takeFlow(record, plan, context);
    record.at = end;
    count += 1;
  }
  return count === 0 && to - from > LONGEST_PADDING ? null : count;
}

/** Returns whether no record exceeds its set, as one whose length varies may. */
function areWhole(form: RecordForm, bytes: Buffer, from: number, to: number): boolean {
  if (form.steps === null) return true;
  let at = from;
  while (at !== -1 && to - at >= form.bytes) at = locateRecord(form, bytes, at, to);
  return at !== -1;
}

function takeOptions(record: DataRecord, domain: ExporterDomain): void {
  domain.samplers.take(record);
  const initMs = numberIn(record, SLOT.systemInitTimeMilliseconds);
  if (initMs > 0) domain.initMs = initMs;
}
