import { LIMITS } from '../../../domain/limits.ts';
import { NO_SLOT, SLOT, slotOf } from './elements.ts';
import type { TemplateField } from './record-form.ts';

/** A set of a datagram, without its header. */
export type DatagramSet = {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
};

/** What kind of templates a set defines. */
export type TemplateKind = { readonly isIpfix: boolean; readonly isOfOptions: boolean };

/** A template as a datagram defines it. */
export type TemplateDefinition = {
  readonly id: number;
  readonly kind: TemplateKind;
  /** All of the definition, within the datagram. */
  readonly bytes: Buffer;
};

/** The smallest number of a template: lower ones are kinds of sets. */
export const LOWEST_TEMPLATE = 256;

const FIELD_BYTES = 4;
const ENTERPRISE_BYTES = 4;
const ENTERPRISE_BIT = 0x8000;

/**
 * Passes on the definitions in a template set of NetFlow 9 (RFC 3954, sections 5.2 and 6.1) or
 * IPFIX (RFC 7011, section 3.4). Returns whether all of the set could be read.
 */
export function readTemplateSet(
  { bytes, from, to }: DatagramSet,
  kind: TemplateKind,
  take: (definition: TemplateDefinition) => void,
): boolean {
  let at = from;
  while (to - at >= 4) {
    const id = bytes.readUInt16BE(at);
    const count = bytes.readUInt16BE(at + 2);
    // Padding: some exporters fill up more than the three bytes that it should have.
    if (id === 0 && count === 0) return true;
    if (kind.isIpfix && count === 0) {
      // A withdrawal, which has to be ignored over UDP (RFC 7011, section 8.4).
      at += 4;
      continue;
    }
    const end = id < LOWEST_TEMPLATE ? null : endOfDefinition(bytes.subarray(at, to), kind);
    if (end === null) return false;
    take({ id, kind, bytes: bytes.subarray(at, at + end) });
    at += end;
  }
  return true;
}

/** The header of a definition, which begins with the number of the template. */
function headerOf(
  bytes: Buffer,
  { isIpfix, isOfOptions }: TemplateKind,
): { readonly length: number; readonly count: number; readonly scopeCount: number } | null {
  const count = bytes.readUInt16BE(2);
  if (!isOfOptions) return { length: 4, count, scopeCount: 0 };
  if (bytes.length < 6) return null;
  const second = bytes.readUInt16BE(4);
  if (isIpfix) return second > count ? null : { length: 6, count, scopeCount: second };
  // NetFlow 9 has the bytes of the scope's fields, and of the other ones.
  if (count % FIELD_BYTES !== 0 || second % FIELD_BYTES !== 0) return null;
  const scopeCount = count / FIELD_BYTES;
  return { length: 6, count: scopeCount + second / FIELD_BYTES, scopeCount };
}

/** Returns the length of the definition that the bytes begin with; null if there is none. */
function endOfDefinition(bytes: Buffer, kind: TemplateKind): number | null {
  const header = headerOf(bytes, kind);
  if (header === null || header.count === 0) return null;
  let at = header.length;
  for (let i = 0; i < header.count; i += 1) {
    if (at + FIELD_BYTES > bytes.length) return null;
    at += FIELD_BYTES + (isOfEnterprise(bytes, at, kind) ? ENTERPRISE_BYTES : 0);
  }
  return at <= bytes.length ? at : null;
}

const isOfEnterprise = (bytes: Buffer, at: number, { isIpfix }: TemplateKind): boolean =>
  isIpfix && bytes.readUInt16BE(at) >= ENTERPRISE_BIT;

/**
 * Returns how many fields a definition has; null if it cannot be used: they are too many, or its
 * records would have no length, so that any number of them would fit.
 */
export function usableFieldCount(definition: TemplateDefinition): number | null {
  const { bytes, kind } = definition;
  const header = headerOf(bytes, kind);
  if (header === null || header.count > LIMITS.templateFields) return null;
  let at = header.length;
  for (let i = 0; i < header.count; i += 1) {
    if (bytes.readUInt16BE(at + 2) > 0) return header.count;
    at += FIELD_BYTES + (isOfEnterprise(bytes, at, kind) ? ENTERPRISE_BYTES : 0);
  }
  return null;
}

/** Returns the fields of a definition that can be used. */
export function templateFields({ bytes, kind }: TemplateDefinition): readonly TemplateField[] {
  const fields: TemplateField[] = [];
  const header = headerOf(bytes, kind);
  let at = header?.length ?? bytes.length;
  while (at < bytes.length) {
    const hasEnterprise = isOfEnterprise(bytes, at, kind);
    const id = bytes.readUInt16BE(at) - (hasEnterprise ? ENTERPRISE_BIT : 0);
    const length = bytes.readUInt16BE(at + 2);
    const enterprise = hasEnterprise ? bytes.readUInt32BE(at + FIELD_BYTES) : 0;
    const isScope = fields.length < (header?.scopeCount ?? 0);
    const isOwnScope = isScope && !kind.isIpfix && id <= LAST_SCOPE;
    fields.push({ slot: isOwnScope ? slotOfScope(id) : slotOf(id, enterprise), length });
    at += FIELD_BYTES + (hasEnterprise ? ENTERPRISE_BYTES : 0);
  }
  return fields;
}

/** The scopes of NetFlow 9, such as the system or an interface, have numbers of their own. */
const LAST_SCOPE = 5;
const INTERFACE = 2;

const slotOfScope = (id: number): number => (id === INTERFACE ? SLOT.ingressInterface : NO_SLOT);
