import type { DatagramRefusal } from '../../../domain/exporters.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { Datagram } from '../datagram.ts';
import type { GatheredFlows } from '../gathered-flows.ts';
import { takeDataSet } from './data-sets.ts';
import type { ExporterDomain } from './exporter-domain.ts';
import type { FlowContext } from './flow-records.ts';
import type { SendTime, SpanReading } from './flow-times.ts';
import { type DatagramSet, LOWEST_TEMPLATE, readTemplateSet } from './template-sets.ts';
import type { DataSet, WaitingData } from './waiting-data.ts';

/** A datagram of NetFlow 9 or IPFIX whose header has been read. */
export type ExportMessage = {
  readonly datagram: Datagram;
  readonly isIpfix: boolean;
  /** Where its sets begin, and where they end: beyond its bytes, if it was cut off. */
  readonly from: number;
  readonly to: number;
  readonly time: SendTime;
  readonly domain: ExporterDomain;
};

/** What sets are decoded with. */
export type SetReading = {
  readonly addresses: AddressKeys;
  readonly waiting: WaitingData;
  readonly gathered: GatheredFlows;
};

const SET_HEADER_BYTES = 4;

/** The numbers of sets that define templates: RFC 3954, section 5; RFC 7011, section 3.3.2. */
const NETFLOW_9_SETS = { templates: 0, options: 1 };
const IPFIX_SETS = { templates: 2, options: 3 };

/**
 * Takes what the sets of a message bring, whose lengths are right, one after the other. What else
 * is wrong with a set is counted, and only that set is left out. Returns the number of data
 * records; null: unknown.
 */
export function decodeSets(message: ExportMessage, reading: SetReading): number | null {
  const decoder = new SetDecoder(message, reading);
  decoder.takeSets();
  decoder.takeUndecoded();
  decoder.takeReleased();
  return decoder.records;
}

type MessageSets = Pick<ExportMessage, 'datagram' | 'isIpfix' | 'from' | 'to'>;

/**
 * Returns what is wrong with the lengths of the sets of a message, for which it has to be discarded
 * as a whole (RFC 7011, section 9.1); null: nothing.
 */
export function faultOfSets(message: MessageSets): DatagramRefusal | null {
  const { bytes } = message.datagram;
  let at = message.from;
  while (hasSet(message, at)) {
    if (message.to - at < SET_HEADER_BYTES) return 'badLength';
    if (at + SET_HEADER_BYTES > bytes.length) return 'truncated';
    const length = bytes.readUInt16BE(at + 2);
    if (at + length > bytes.length) return 'truncated';
    if (length < SET_HEADER_BYTES || at + length > message.to) return 'badLength';
    at += length;
  }
  return null;
}

/** Returns whether a set begins at a place; some exporters of NetFlow 9 fill up their datagrams. */
function hasSet({ datagram: { bytes }, to, isIpfix }: MessageSets, at: number): boolean {
  if (at >= to || isIpfix) return at < to;
  return to - at >= SET_HEADER_BYTES && bytes.readUInt32BE(at) !== 0;
}

class SetDecoder {
  /** How many data records the message has; null: unknown. */
  records: number | null = 0;
  readonly #message: ExportMessage;
  readonly #reading: SetReading;
  readonly #span: SpanReading = { startUs: 0, durationUs: 0, hasTime: false };
  /** Numbers of the templates that the message defines. */
  readonly #defined = new Set<number>();
  /** Its sets of data whose template was unknown. */
  readonly #undecoded: DataSet[] = [];

  constructor(message: ExportMessage, reading: SetReading) {
    this.#message = message;
    this.#reading = reading;
  }

  takeSets(): void {
    const { bytes } = this.#message.datagram;
    for (let { from: at } = this.#message; hasSet(this.#message, at); ) {
      const length = bytes.readUInt16BE(at + 2);
      const set = { bytes, from: at + SET_HEADER_BYTES, to: at + length };
      this.#takeSet(bytes.readUInt16BE(at), set);
      at += length;
    }
  }

  /** Takes the data whose template came later in the same message; the others wait. */
  takeUndecoded(): void {
    const { datagram, time, domain } = this.#message;
    const { waiting, gathered } = this.#reading;
    const { bytes, address, receivedMs } = datagram;
    const left = this.#undecoded.filter(
      (set) => !this.#takeData(set.templateId, { bytes, from: set.from, to: set.to }, time),
    );
    if (left.length === 0) return;
    if (!waiting.hold({ address, domain, bytes, time, receivedMs }, left)) {
      gathered.refuse('noTemplate');
    }
  }

  /** Takes data of earlier messages that waited for templates of this one, options first. */
  takeReleased(): void {
    const { datagram, domain } = this.#message;
    const isOfOptions = (id: number): boolean =>
      domain.templateOf(id, datagram.receivedMs)?.definition.kind.isOfOptions === true;
    const ids = [...this.#defined];
    const { records } = this;
    for (const id of [...ids.filter(isOfOptions), ...ids.filter((each) => !isOfOptions(each))]) {
      for (const { bytes, set, time } of this.#reading.waiting.release(
        datagram.address,
        domain,
        id,
      )) {
        this.#takeData(id, { bytes, from: set.from, to: set.to }, time);
      }
    }
    this.records = records;
  }

  #takeSet(id: number, set: DatagramSet): void {
    const { time, isIpfix } = this.#message;
    const kinds = isIpfix ? IPFIX_SETS : NETFLOW_9_SETS;
    if (id === kinds.templates || id === kinds.options) {
      this.#takeTemplates(set, id === kinds.options);
    } else if (id >= LOWEST_TEMPLATE && set.from < set.to && !this.#takeData(id, set, time)) {
      this.#undecoded.push({ templateId: id, from: set.from, to: set.to });
      this.records = null;
    }
    // Other numbers are reserved: their sets are left out.
  }

  #takeTemplates(set: DatagramSet, isOfOptions: boolean): void {
    const { datagram, domain, isIpfix } = this.#message;
    const { gathered } = this.#reading;
    const isRead = readTemplateSet(set, { isIpfix, isOfOptions }, (definition) => {
      if (domain.define(definition, datagram.receivedMs)) this.#defined.add(definition.id);
      else gathered.refuse('badTemplate');
    });
    if (!isRead) gathered.refuse('badTemplate');
  }

  /** Takes a set of data. Returns false if its template is unknown. */
  #takeData(id: number, set: DatagramSet, time: SendTime): boolean {
    const { datagram, domain } = this.#message;
    const template = domain.templateOf(id, datagram.receivedMs);
    if (template === null) return false;
    const count = takeDataSet(set, template, domain, this.#contextAt(time));
    if (count === null) this.#reading.gathered.refuse('badLength');
    this.records = count === null || this.records === null ? null : this.records + count;
    return true;
  }

  #contextAt({ sentUs, uptimeMs }: SendTime): FlowContext {
    const { domain } = this.#message;
    const { addresses, gathered } = this.#reading;
    const { initMs, samplers, connections } = domain;
    const span = this.#span;
    return { sentUs, uptimeMs, initMs, samplers, connections, addresses, gathered, span };
  }
}
