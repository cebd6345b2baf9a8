import { fitsSlot, NO_SLOT, SLOTS } from './elements.ts';

/** A field of a template, in the order of its records. */
export type TemplateField = {
  /** What it is; `NO_SLOT` if it is only to be skipped. */
  readonly slot: number;
  readonly length: number;
};

/** A field whose length is in each record, before its value (RFC 7011, section 7). */
export const VARIABLE_LENGTH = 65_535;

/** Where the fields of a template's records are. */
export type RecordForm = {
  /** Length of a record; the shortest possible one if the length varies. */
  readonly bytes: number;
  /** Offset in a record by slot; -1: it has no such field. */
  readonly offsets: Int32Array;
  /** Length by slot. */
  readonly lengths: Uint8Array;
  /**
   * Slots and lengths of all fields in turn, if the length of records varies. Then offsets and
   * lengths are those of the record that `locateRecord` found last.
   */
  readonly steps: Int32Array | null;
};

/** Returns the form of records with these fields. Of a field that is there twice, the first. */
export function recordForm(fields: readonly TemplateField[]): RecordForm {
  const offsets = new Int32Array(SLOTS).fill(-1);
  const lengths = new Uint8Array(SLOTS);
  let bytes = 0;
  for (const { slot, length } of fields) {
    if (isFree(offsets, slot) && fitsSlot(slot, length)) {
      offsets[slot] = bytes;
      lengths[slot] = length;
    }
    bytes += length === VARIABLE_LENGTH ? 1 : length;
  }
  const varies = fields.some(({ length }) => length === VARIABLE_LENGTH);
  return { bytes, offsets, lengths, steps: varies ? stepsOf(fields) : null };
}

const isFree = (offsets: Int32Array, slot: number): boolean =>
  slot !== NO_SLOT && offsets[slot] === -1;

/**
 * Fields of fixed lengths that are only to be skipped are one step, and those without a length are
 * none: so each step takes at least one byte of a record.
 */
function stepsOf(fields: readonly TemplateField[]): Int32Array {
  const steps: number[] = [];
  for (const { slot, length } of fields) {
    if (length === 0) continue;
    const isSkip = slot === NO_SLOT && length !== VARIABLE_LENGTH;
    const last = steps.length - 1;
    const follows = isSkip && steps[last - 1] === NO_SLOT && steps[last] !== VARIABLE_LENGTH;
    // The sum cannot be mistaken for a length that varies: no set has room for such a record.
    if (follows) steps[last] = (steps[last] ?? 0) + length;
    else steps.push(slot, length);
  }
  return Int32Array.from(steps);
}

/**
 * Returns where the record at `from` ends, at most `to`, and makes its form say where its fields
 * are; -1 if it does not fit.
 */
export function locateRecord(form: RecordForm, bytes: Buffer, from: number, to: number): number {
  const { steps, offsets, lengths } = form;
  if (to - from < form.bytes) return -1;
  if (steps === null) return from + form.bytes;
  offsets.fill(-1);
  let at = from;
  for (let i = 0; i < steps.length; i += 2) {
    const slot = steps[i] ?? NO_SLOT;
    let length = steps[i + 1] ?? 0;
    if (length === VARIABLE_LENGTH) {
      if (at >= to) return -1;
      length = bytes.readUInt8(at);
      at += 1;
      if (length === LONG) {
        if (at + 2 > to) return -1;
        length = bytes.readUInt16BE(at);
        at += 2;
      }
    }
    if (at + length > to) return -1;
    if (isFree(offsets, slot) && fitsSlot(slot, length)) {
      offsets[slot] = at - from;
      lengths[slot] = length;
    }
    at += length;
  }
  return at;
}

/** A length of one byte that says that the length is in the next two. */
const LONG = 255;
