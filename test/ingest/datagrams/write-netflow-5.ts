/** A flow as an exporter of NetFlow 5 reports it; what is left out is 0. */
export type Netflow5Record = {
  readonly source?: readonly number[];
  readonly destination?: readonly number[];
  readonly packets?: number;
  readonly bytes?: number;
  readonly firstMs?: number;
  readonly lastMs?: number;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly protocol?: number;
};

type Netflow5Header = {
  readonly count?: number;
  readonly uptimeMs?: number;
  readonly seconds?: number;
  readonly nanoseconds?: number;
  readonly sequence?: number;
  readonly engineType?: number;
  readonly engineId?: number;
  /** All 16 bits: two of the mode, 14 of the interval. */
  readonly sampling?: number;
};

export function netflow5Datagram(
  header: Netflow5Header,
  records: readonly Netflow5Record[],
): Buffer {
  const bytes = Buffer.alloc(24 + 48 * records.length);
  bytes.writeUInt16BE(5, 0);
  bytes.writeUInt16BE(header.count ?? records.length, 2);
  bytes.writeUInt32BE(header.uptimeMs ?? 0, 4);
  bytes.writeUInt32BE(header.seconds ?? 0, 8);
  bytes.writeUInt32BE(header.nanoseconds ?? 0, 12);
  bytes.writeUInt32BE(header.sequence ?? 0, 16);
  bytes.writeUInt8(header.engineType ?? 0, 20);
  bytes.writeUInt8(header.engineId ?? 0, 21);
  bytes.writeUInt16BE(header.sampling ?? 0, 22);
  for (const [i, record] of records.entries()) writeRecord(bytes, 24 + 48 * i, record);
  return bytes;
}

function writeRecord(bytes: Buffer, at: number, record: Netflow5Record): void {
  bytes.set(record.source ?? [0, 0, 0, 0], at);
  bytes.set(record.destination ?? [0, 0, 0, 0], at + 4);
  bytes.writeUInt32BE(record.packets ?? 0, at + 16);
  bytes.writeUInt32BE(record.bytes ?? 0, at + 20);
  bytes.writeUInt32BE(record.firstMs ?? 0, at + 24);
  bytes.writeUInt32BE(record.lastMs ?? 0, at + 28);
  bytes.writeUInt16BE(record.sourcePort ?? 0, at + 32);
  bytes.writeUInt16BE(record.destinationPort ?? 0, at + 34);
  bytes.writeUInt8(record.protocol ?? 0, at + 38);
}
