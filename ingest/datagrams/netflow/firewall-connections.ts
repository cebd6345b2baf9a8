import { LIMITS } from '../../../domain/limits.ts';
import { addWhole, subtractWhole, type Whole } from '../../whole.ts';
import { SLOT } from './elements.ts';
import { type DataRecord, numberIn } from './field-values.ts';
import type { SpanReading } from './flow-times.ts';

/** What both ways of a connection carried. */
export type ConnectionAmounts = {
  readonly bytes: Whole;
  readonly packets: Whole;
  readonly bytesBack: Whole;
  readonly packetsBack: Whole;
};

/** What updates said of a connection so far, and until when, in microseconds since 1970. */
type Updated = { readonly amounts: ConnectionAmounts; readonly untilUs: number };

/** Values of `firewallEvent`. */
const DELETED = 2;
const UPDATE = 5;

/**
 * The connections through a firewall of Cisco that still go on. At intervals it says what was
 * carried since the last update, and at the end what was carried from the beginning on, so what
 * updates said must not be counted again.
 */
export class FirewallConnections {
  /** By number; the one of which nothing was heard for longest first. */
  readonly #updated = new Map<number, Updated>();
  /**
   * Goes through them once: what it has passed is deleted. One that begins again each time would
   * pass all that were deleted since the map was last laid out, tens of thousands for each record.
   */
  #fromOldest = this.#updated.keys();

  get size(): number {
    return this.#updated.size;
  }

  /** Returns what a record adds to what was said of its connection, and sets when that was. */
  take(record: DataRecord, amounts: ConnectionAmounts, span: SpanReading): ConnectionAmounts {
    const event = numberIn(record, SLOT.firewallEvent);
    const id = numberIn(record, SLOT.flowId);
    const known = this.#updated.get(id);
    if (event === UPDATE) this.#update(id, known, amounts, span);
    if (event !== DELETED || known === undefined) return amounts;
    this.#updated.delete(id);
    // A number may be used again when the end of its connection was lost.
    if (known.untilUs < span.startUs) return amounts;
    const endUs = span.startUs + span.durationUs;
    span.startUs = Math.min(known.untilUs, endUs);
    span.durationUs = endUs - span.startUs;
    return without(amounts, known.amounts);
  }

  /** Forgets all connections, whose numbers begin again after a restart. */
  clear(): void {
    this.#updated.clear();
  }

  #update(
    id: number,
    known: Updated | undefined,
    amounts: ConnectionAmounts,
    { startUs, durationUs }: SpanReading,
  ): void {
    if (known !== undefined) this.#updated.delete(id);
    else if (this.#updated.size >= LIMITS.firewallConnections) this.#forgetOldest();
    const all = known === undefined ? amounts : sumOf(known.amounts, amounts);
    this.#updated.set(id, { amounts: all, untilUs: startUs + durationUs });
  }

  #forgetOldest(): void {
    let next = this.#fromOldest.next();
    if (next.done) {
      // An iterator that has come to the end stays there.
      this.#fromOldest = this.#updated.keys();
      next = this.#fromOldest.next();
    }
    if (!next.done) this.#updated.delete(next.value);
  }
}

const sumOf = (a: ConnectionAmounts, b: ConnectionAmounts): ConnectionAmounts => ({
  bytes: addWhole(a.bytes, b.bytes),
  packets: addWhole(a.packets, b.packets),
  bytesBack: addWhole(a.bytesBack, b.bytesBack),
  packetsBack: addWhole(a.packetsBack, b.packetsBack),
});

const without = (all: ConnectionAmounts, part: ConnectionAmounts): ConnectionAmounts => ({
  bytes: lessOf(all.bytes, part.bytes),
  packets: lessOf(all.packets, part.packets),
  bytesBack: lessOf(all.bytesBack, part.bytesBack),
  packetsBack: lessOf(all.packetsBack, part.packetsBack),
});

/** A counter of 32 bits may have wrapped: then it does not say what is left. */
const lessOf = (all: Whole, part: Whole): Whole => (all > part ? subtractWhole(all, part) : 0);
