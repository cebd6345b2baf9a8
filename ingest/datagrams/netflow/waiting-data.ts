import { LIMITS } from '../../../domain/limits.ts';
import type { ExpiredData } from '../datagram.ts';
import { type ExporterDomain, ownBytes } from './exporter-domain.ts';
import type { SendTime } from './flow-times.ts';

/** Where a set of data is in its datagram, without its header, and the number of its template. */
export type DataSet = { readonly templateId: number; readonly from: number; readonly to: number };

/** A set that waited, and its datagram. */
export type WaitingSet = {
  readonly bytes: Buffer;
  readonly set: DataSet;
  readonly time: SendTime;
};

/** A datagram of which some sets wait. */
type WaitingDatagram = {
  readonly domain: ExporterDomain;
  readonly bytes: Buffer;
  readonly time: SendTime;
  readonly receivedMs: number;
  /** What it counts as, in bytes. */
  readonly size: number;
  /** The sets that wait, by the number of their template. */
  readonly sets: Map<number, DataSet[]>;
};

/** Those of an address, in the order of their arrival. */
type WaitingOfAddress = { readonly datagrams: Set<WaitingDatagram>; size: number };

/** A datagram that has data without a template. */
type UndecodedDatagram = {
  readonly address: string;
  readonly domain: ExporterDomain;
  readonly bytes: Buffer;
  readonly time: SendTime;
  readonly receivedMs: number;
};

/**
 * Data that arrived before their template. Exporters send templates at intervals, so at first there
 * are more data than templates.
 */
export class WaitingData {
  readonly #byAddress = new Map<string, WaitingOfAddress>();
  /** Datagrams that were dropped since `expire` told of them, by address. */
  readonly #dropped = new Map<string, number>();
  #size = 0;

  /** Keeps sets of a datagram. Returns false if there is no room. */
  hold(datagram: UndecodedDatagram, sets: readonly DataSet[]): boolean {
    const { address, domain, bytes, time, receivedMs } = datagram;
    const size = bytes.length + sets.length * LIMITS.templateWaitSetBytes;
    const others = this.#byAddress.get(address) ?? { datagrams: new Set(), size: 0 };
    const isRoom =
      others.datagrams.size < LIMITS.templateWaitDatagrams &&
      others.size + size <= LIMITS.templateWaitBytesPerExporter &&
      this.#size + size <= LIMITS.templateWaitBytes;
    if (!isRoom) return false;
    const byTemplate = new Map<number, DataSet[]>();
    for (const set of sets) {
      const known = byTemplate.get(set.templateId);
      if (known === undefined) byTemplate.set(set.templateId, [set]);
      else known.push(set);
    }
    const copy = ownBytes(bytes);
    others.datagrams.add({ domain, bytes: copy, time, receivedMs, size, sets: byTemplate });
    others.size += size;
    this.#size += size;
    this.#byAddress.set(address, others);
    return true;
  }

  /** Returns the sets that waited for a template, which no longer wait. */
  release(address: string, domain: ExporterDomain, templateId: number): WaitingSet[] {
    const waiting = this.#byAddress.get(address);
    if (waiting === undefined) return [];
    const released: WaitingSet[] = [];
    for (const datagram of waiting.datagrams) {
      const sets = datagram.domain === domain ? datagram.sets.get(templateId) : undefined;
      if (sets === undefined) continue;
      const { bytes, time } = datagram;
      for (const set of sets) released.push({ bytes, set, time });
      datagram.sets.delete(templateId);
      if (datagram.sets.size === 0) this.#remove(address, waiting, datagram);
    }
    return released;
  }

  /** Drops what waits in a domain that is forgotten. */
  forget(address: string, domain: ExporterDomain): void {
    this.#drop(address, (datagram) => datagram.domain === domain);
  }

  /** Drops what has waited for too long, and returns what was dropped since the last call. */
  expire(nowMs: number): ExpiredData[] {
    for (const address of [...this.#byAddress.keys()]) {
      this.#drop(address, ({ receivedMs }) => nowMs - receivedMs >= LIMITS.templateWaitMs);
    }
    const dropped = Array.from(this.#dropped, ([address, datagrams]) => ({ address, datagrams }));
    this.#dropped.clear();
    return dropped;
  }

  countOf(address: string): number {
    return this.#byAddress.get(address)?.datagrams.size ?? 0;
  }

  #drop(address: string, isDue: (datagram: WaitingDatagram) => boolean): void {
    const waiting = this.#byAddress.get(address);
    if (waiting === undefined) return;
    for (const datagram of waiting.datagrams) {
      if (!isDue(datagram)) continue;
      this.#remove(address, waiting, datagram);
      this.#dropped.set(address, (this.#dropped.get(address) ?? 0) + 1);
    }
  }

  #remove(address: string, waiting: WaitingOfAddress, datagram: WaitingDatagram): void {
    waiting.datagrams.delete(datagram);
    waiting.size -= datagram.size;
    this.#size -= datagram.size;
    if (waiting.datagrams.size === 0) this.#byAddress.delete(address);
  }
}
