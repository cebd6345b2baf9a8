/** A field of a template that a test exporter sends. */
export type WrittenField = {
  readonly id: number;
  /** 65,535: it has a length of its own in each record. */
  readonly length: number;
  readonly enterprise?: number;
};

/** A template; of options if it has a scope. */
export type WrittenTemplate = {
  readonly id: number;
  readonly scope?: readonly WrittenField[];
  readonly fields: readonly WrittenField[];
};

/** The value of a field: its bytes, or a number that fills its length. */
export type WrittenValue = number | bigint | Buffer;

const uint16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
};

const uint32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
};

/** Fills a set up to a multiple of four bytes, as exporters should, unless told otherwise. */
export function setOf(
  id: number,
  content: Buffer,
  padding = (4 - (content.length % 4)) % 4,
): Buffer {
  return Buffer.concat([uint16(id, 4 + content.length + padding), content, Buffer.alloc(padding)]);
}

const VARIABLE = 65_535;

/** One record: a value for each field, the scope's first. */
export function recordOf(template: WrittenTemplate, values: readonly WrittenValue[]): Buffer {
  const fields = [...(template.scope ?? []), ...template.fields];
  return Buffer.concat(
    fields.map(({ length }, i) => {
      const value = values[i] ?? 0;
      if (length !== VARIABLE) return bytesOfValue(value, length);
      const bytes = Buffer.isBuffer(value) ? value : bytesOfValue(value, 4);
      // RFC 7011, section 7: a length of one byte, or 255 and a length of two.
      const prefix =
        bytes.length < 255
          ? Buffer.from([bytes.length])
          : Buffer.concat([Buffer.from([255]), uint16(bytes.length)]);
      return Buffer.concat([prefix, bytes]);
    }),
  );
}

function bytesOfValue(value: WrittenValue, length: number): Buffer {
  if (Buffer.isBuffer(value)) return Buffer.concat([value], length);
  const hex = value.toString(16).padStart(length * 2, '0');
  return Buffer.from(hex.slice(hex.length - length * 2), 'hex');
}

/** A set of records of a template. */
export const dataSet = (
  template: WrittenTemplate,
  records: readonly (readonly WrittenValue[])[],
  padding?: number,
): Buffer =>
  setOf(template.id, Buffer.concat(records.map((each) => recordOf(template, each))), padding);

const fieldList = (fields: readonly WrittenField[], isIpfix: boolean): Buffer =>
  Buffer.concat(
    fields.map(({ id, length, enterprise }) =>
      isIpfix && enterprise !== undefined
        ? Buffer.concat([uint16(id + 0x8000, length), uint32(enterprise)])
        : uint16(id, length),
    ),
  );

/** A set that defines templates of one kind: with a scope, or without. */
export function templateSet(
  protocol: 'netflow9' | 'ipfix',
  templates: readonly WrittenTemplate[],
): Buffer {
  const isIpfix = protocol === 'ipfix';
  const isOfOptions = templates[0]?.scope !== undefined;
  const definitions = templates.map(({ id, scope = [], fields }) => {
    const list = fieldList([...scope, ...fields], isIpfix);
    if (!isOfOptions) return Buffer.concat([uint16(id, fields.length), list]);
    const counts = isIpfix
      ? [scope.length + fields.length, scope.length]
      : [scope.length * 4, fields.length * 4];
    return Buffer.concat([uint16(id, ...counts), list]);
  });
  const id = (isIpfix ? 2 : 0) + (isOfOptions ? 1 : 0);
  return setOf(id, Buffer.concat(definitions));
}

export type Netflow9Header = {
  readonly uptimeMs?: number;
  readonly seconds?: number;
  readonly sequence?: number;
  readonly sourceId?: number;
};

export const netflow9Datagram = (header: Netflow9Header, sets: readonly Buffer[]): Buffer =>
  Buffer.concat([
    uint16(9, sets.length),
    uint32(header.uptimeMs ?? 0, header.seconds ?? 0, header.sequence ?? 0, header.sourceId ?? 0),
    ...sets,
  ]);

export type IpfixHeader = {
  readonly seconds?: number;
  readonly sequence?: number;
  readonly domain?: number;
  /** Instead of the length that it has. */
  readonly length?: number;
};

export function ipfixDatagram(header: IpfixHeader, sets: readonly Buffer[]): Buffer {
  const content = Buffer.concat(sets);
  return Buffer.concat([
    uint16(10, header.length ?? 16 + content.length),
    uint32(header.seconds ?? 0, header.sequence ?? 0, header.domain ?? 0),
    content,
  ]);
}
